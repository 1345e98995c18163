#include "octavia.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

Call call_of(const LoadBalancerWrite& write) {
  Call call;
  call.service = "load-balancer";
  call.method = write.method;
  call.path = write.path;
  call.operation = write.operation;
  call.body = write.body;
  call.replaces = write.replaces;
  return call;
}

constexpr milliseconds kOthersPause{1'000};
constexpr milliseconds kGuessFor{600'000};
constexpr const char* kHidden = "OctaviaVersionHidden";
constexpr int kWithTags = 5;  // versions of Octavia's API, OS-249
constexpr int kWithZones = 14;

// Something in front of Octavia answers for its list of versions.
bool is_hidden(const Status& status) { return status.reason() == kHidden; }

Status others_first() {
  return Status(Code::unavailable, ErrorClass::waiting, "other load balancers are created first")
      .with_reason("CloudBusy")
      .with_retry_after(kOthersPause);
}

// An Octavia with allow_filtering = False says nothing, and lists those of the whole project.
template <typename Child>
void keep_those_of(const std::string& balancer_id, std::vector<Child>& children) {
  std::erase_if(children, [&](const Child& child) {
    return std::count(child.balancer_ids.begin(), child.balancer_ids.end(), balancer_id) == 0;
  });
}

}  // namespace

Task<Result<std::string>> Octavia::get(Ctx ctx, std::string path, const char* operation) {
  Call question;
  question.service = "load-balancer";
  question.path = std::move(path);
  question.operation = operation;
  return api_.call(std::move(ctx), std::move(question));
}

Task<Result<std::string>> Octavia::get_existing(Ctx ctx, std::string path, const char* operation) {
  Call question;
  question.service = "load-balancer";
  question.path = std::move(path);
  question.operation = operation;
  question.must_exist = true;
  return api_.call(std::move(ctx), std::move(question));
}

Task<Result<int>> Octavia::version(Ctx ctx) {
  const bool known = version_ >= 0 && (!guess_ends_ || host_.timer.now() < *guess_ends_);
  if (known) co_return version_;
  auto minor = co_await read_version(ctx);
  if (is_hidden(minor.status())) {
    auto guess = co_await guess_version(ctx);
    if (guess.ok()) {
      host_.log.warning("Octavia's list of versions cannot be read",
                        {{"err", minor.status()}, {"taken_for", "2." + std::to_string(*guess)}});
      guess_ends_ = host_.timer.now() + kGuessFor;
    }
    minor = std::move(guess);
  } else if (minor.ok()) {
    guess_ends_.reset();  // a guess that could not be replaced stays one
  }
  if (minor.ok()) version_ = *minor;
  co_return minor;
}

Task<Result<int>> Octavia::read_version(Ctx ctx) {
  Call question;
  question.service = "load-balancer";
  question.versions = true;  // OS-373
  question.operation = "ListVersions";
  const std::string operation = question.operation;
  const auto answer = co_await api_.exchange(ctx, std::move(question));
  if (!answer.ok()) co_return answer.status();
  const bool lists = answer->status_code == 200 || answer->status_code == 300;
  if (lists) {
    auto minor = parse_octavia_version(answer->body);
    if (minor.ok()) co_return minor;
  }
  const bool of_the_moment = answer->status_code >= 500 || answer->status_code == 401 ||
                             answer->status_code == 408 || answer->status_code == 429;
  Status status = lists ? bad_answer("names no version of Octavia's API").with_context(operation)
                        : status_of(operation, *answer);
  co_return of_the_moment ? std::move(status) : std::move(status).with_reason(kHidden);
}

// Its zones came with 2.14, and its tags, which are needed, with 2.5.
Task<Result<int>> Octavia::guess_version(Ctx ctx) {
  const auto zones = co_await get(ctx, "availabilityzones?limit=1", "ListAvailabilityZones");
  if (zones.ok()) co_return kWithZones;
  const ErrorClass why = zones.status().error_class();
  const bool lacks = why == ErrorClass::not_found || why == ErrorClass::invalid_spec;
  if (!lacks) co_return zones.status();
  co_return kWithTags;
}

Task<Result<std::optional<ExistingLoadBalancer>>> Octavia::find(Ctx ctx, std::string id) {
  using Found = std::optional<ExistingLoadBalancer>;
  auto body = co_await get(ctx, "loadbalancers/" + percent_encode(id), "GetLoadBalancer");
  if (body.status().error_class() == ErrorClass::not_found) co_return Found();
  if (!body.ok()) co_return body.status();
  auto balancer = parse_load_balancer(*body);
  if (!balancer.ok()) co_return balancer.status();
  if (balancer->status == "DELETED") co_return Found();
  co_return Found(*std::move(balancer));
}

// Octavia's pagination_max_limit may be negative, for "any number". It fails with a limit then, and
// every page says that there is another one, of which the last is empty.
Task<Status> Octavia::list(Ctx ctx, std::string path, const char* name, const char* operation,
                           TakeObject take) {
  Collection collection;
  collection.service = "load-balancer";
  collection.path = std::move(path);
  collection.operation = operation;
  collection.page_size = 0;
  collection.must_exist = true;
  return read_pages(api_, std::move(ctx), std::move(collection), name, std::move(take));
}

Task<Result<std::vector<ExistingLoadBalancer>>> Octavia::listed(Ctx ctx, std::string query) {
  std::vector<ExistingLoadBalancer> found;
  Status read = co_await list(ctx, "loadbalancers" + query, "loadbalancers", "ListLoadBalancers",
                              into(found, &read_load_balancer));
  if (!read.ok()) co_return read;
  std::erase_if(found, [](const ExistingLoadBalancer& one) { return one.status == "DELETED"; });
  co_return found;
}

Task<Result<std::vector<ExistingLoadBalancer>>> Octavia::all(Ctx ctx) {
  return listed(std::move(ctx), "");
}

Task<Result<std::vector<ExistingLoadBalancer>>> Octavia::with_tag(Ctx ctx, std::string tag) {
  auto all = co_await listed(std::move(ctx), "?tags=" + percent_encode(tag));
  if (!all.ok()) co_return all;
  std::erase_if(*all, [&](const ExistingLoadBalancer& one) { return !one.tagged(tag); });
  co_return all;
}

Task<Result<std::vector<ExistingLoadBalancer>>> Octavia::with_name(Ctx ctx, std::string name) {
  auto all = co_await listed(std::move(ctx), "?name=" + percent_encode(name));
  if (!all.ok()) co_return all;
  std::erase_if(*all, [&](const ExistingLoadBalancer& one) { return one.name != name; });
  co_return all;
}

Task<Status> Octavia::read_children(Ctx ctx, ExistingLoadBalancer& balancer) {
  const std::string query = "?loadbalancer_id=" + percent_encode(balancer.id);
  std::vector<ExistingListener> listeners;
  Status read = co_await list(ctx, "listeners" + query, "listeners", "ListListeners",
                              into(listeners, &read_listener));
  if (!read.ok()) co_return read;
  std::vector<ExistingPool> pools;
  read =
      co_await list(ctx, "pools" + query, "pools", "ListPools", into(pools, &openstack::read_pool));
  if (!read.ok()) co_return read;
  keep_those_of(balancer.id, listeners);
  keep_those_of(balancer.id, pools);
  for (ExistingPool& pool : pools) {
    read = co_await read_pool(ctx, pool);
    if (!read.ok()) co_return read;
  }
  balancer.listeners = std::move(listeners);
  balancer.pools = std::move(pools);
  co_return Status();
}

Task<Status> Octavia::read_pool(Ctx ctx, ExistingPool& pool) {
  std::vector<IdentifiedMember> found;
  Status read = co_await list(ctx, "pools/" + pool.id + "/members", "members", "ListMembers",
                              into(found, &read_member));
  if (!read.ok()) co_return read;
  ExistingMembers members = members_of(std::move(found));
  pool.members = std::move(members.members);
  pool.member_ids = std::move(members.ids);
  pool.failed_members = std::move(members.failed);
  if (pool.monitor_id.empty()) co_return Status();
  const auto monitor_body =
      co_await get_existing(ctx, "healthmonitors/" + pool.monitor_id, "GetHealthMonitor");
  if (!monitor_body.ok()) co_return monitor_body.status();
  auto monitor = parse_monitor(*monitor_body);
  if (!monitor.ok()) co_return monitor.status();
  pool.monitor = std::move(monitor->monitor);
  pool.monitor_failed = monitor->failed;
  co_return Status();
}

Task<Result<ExistingLoadBalancer>> Octavia::create(Ctx ctx, LoadBalancerWrite write,
                                                   std::string namespace_name) {
  const milliseconds time = ctx.remaining();
  auto permit = co_await creations_.acquire(std::move(namespace_name));
  // One that is cut off may be carried out all the same, and is not found before.
  if (ctx.cancelled() || ctx.remaining() < time / 2) co_return others_first();
  const auto body = co_await api_.call(ctx, call_of(write));
  if (!body.ok()) co_return body.status();
  co_return parse_load_balancer(*body);
}

Task<Status> Octavia::send(Ctx ctx, LoadBalancerWrite write) {
  const auto body = co_await api_.call(ctx, call_of(write));
  const bool gone =
      write.method == "DELETE" && body.status().error_class() == ErrorClass::not_found;
  co_return gone ? Status() : body.status();
}

Task<Status> Octavia::send_all(Ctx ctx, ExistingLoadBalancer& balancer, LoadBalancerWrites writes,
                               std::string& done) {
  Status recorded;  // by a dry run, which is to see them all
  for (LoadBalancerWrite& write : writes) {
    const std::string what = write.what;
    Status sent = co_await send(ctx, std::move(write));
    if (is_dry_run(sent)) {
      if (recorded.ok()) recorded = std::move(sent).with_context(what);
      continue;
    }
    if (sent.error_class() == ErrorClass::waiting) {
      balancer.status = "PENDING_UPDATE";
      co_return Status();
    }
    if (!sent.ok()) co_return std::move(sent).with_context(what);
    done += (done.empty() ? "" : ", ") + what;
    auto now = co_await find(ctx, balancer.id);
    if (!now.ok()) co_return now.status();
    if (!*now) {
      co_return Status(Code::unavailable, ErrorClass::unavailable,
                       "load balancer " + balancer.id + " was deleted while it was changed");
    }
    balancer.status = (*now)->status;
    balancer.tags = (*now)->tags;
    if (balancer.status != "ACTIVE") co_return Status();
  }
  co_return recorded;
}

}  // namespace ccm::openstack
