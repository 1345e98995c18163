#include "operations.hpp"

#include "openstack/compute/provider_id.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr milliseconds kLookAgain{1'000};
constexpr int kRounds = 4;  // until parts of parts are there

bool has_tag(const ExistingLoadBalancer& balancer, const std::string& tag) {
  return std::find(balancer.tags.begin(), balancer.tags.end(), tag) != balancer.tags.end();
}

LoadBalancer described(const ExistingLoadBalancer& balancer, LoadBalancerState state) {
  LoadBalancer out;
  out.state = state;
  out.id = balancer.id;
  out.name = balancer.name;
  if (state == LoadBalancerState::pending) out.retry_after = kLookAgain;
  return out;
}

LoadBalancer serving(const ExistingLoadBalancer& balancer, const std::string& address) {
  LoadBalancer out = described(balancer, LoadBalancerState::active);
  Ingress& ingress = out.ingress.emplace_back();
  ingress.ip = address;
  return out;
}

Status broken(const ExistingLoadBalancer& balancer) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "load balancer " + balancer.id + " is in the state " + balancer.status)
      .with_reason("LoadBalancerError");
}

Status not_ours(const std::string& id) {
  return Status(Code::failed_precondition,
                "load balancer " + id + " has no tag that says that it is this Service's")
      .with_reason("NotOwned");
}

Status being_deleted(const std::string& id) {
  return Status(Code::unavailable, ErrorClass::waiting, "load balancer " + id + " is being deleted")
      .with_reason("CloudBusy")
      .with_retry_after(kLookAgain);
}

std::string joined(const std::vector<LoadBalancerWrite>& writes) {
  std::string text;
  for (const LoadBalancerWrite& write : writes) text += (text.empty() ? "" : ", ") + write.what;
  return text;
}

}  // namespace

LoadBalancerLimits LoadBalancers::limits() {
  LoadBalancerLimits limits;
  limits.id_annotation = "loadbalancer.openstack.org/load-balancer-id";
  return limits;
}

Task<Result<LoadBalancers::Found>> LoadBalancers::find(Ctx ctx,
                                                       const LoadBalancerService& service) {
  const std::string id = service.adopt_id.empty() ? service.id : service.adopt_id;
  if (!id.empty()) {
    auto found = co_await octavia_.find(ctx, id);
    if (!found.ok() || *found) co_return found;
  }
  auto marked = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!marked.ok()) co_return marked.status();
  if (marked->empty()) co_return Found();
  // One that is being deleted counts last.
  const auto place = std::find_if(marked->begin(), marked->end(),
                                  [](const auto& one) { return one.status != "PENDING_DELETE"; });
  co_return Found(place != marked->end() ? *place : marked->front());
}

Task<Result<WantedLoadBalancer>> LoadBalancers::want(Ctx ctx, const LoadBalancerService& service,
                                                     const Backends& backends) {
  std::string subnet = settings_.subnet_id;
  if (subnet.empty() && settings_.network_id.empty()) {  // OS-236
    const std::string family = service.ip_families.empty() ? "" : service.ip_families.front();
    for (const Backend& backend : backends) {
      const auto id = parse_provider_id(backend.provider_id);
      const std::string address = member_address(backend, family);
      if (!id.ok() || address.empty()) continue;  // OS-434
      auto found = co_await octavia_.subnet_of(ctx, id->server, address);
      if (!found.ok()) co_return found.status();
      subnet = *std::move(found);
      if (!subnet.empty()) break;
    }
    if (subnet.empty()) {
      co_return Status(Code::failed_precondition, ErrorClass::unavailable,
                       "no Node has an address on a subnet of Neutron: set [LoadBalancer] "
                       "subnet-id in cloud.conf")
          .with_reason("NoSubnet");
    }
  }
  co_return wanted_load_balancer(service, backends, settings_, subnet);
}

Task<Result<std::string>> LoadBalancers::address_of(Ctx ctx, const LoadBalancerService& service,
                                                    const WantedLoadBalancer& wanted,
                                                    const ExistingLoadBalancer& balancer,
                                                    bool make) {
  if (wanted.internal || balancer.vip_address.find(':') != std::string::npos) {
    co_return balancer.vip_address;
  }
  auto floating = co_await octavia_.floating_ip(ctx, balancer.vip_port_id);
  if (!floating.ok()) co_return floating.status();
  if (*floating) co_return (*floating)->address;
  if (!make) co_return std::string();
  std::string network = settings_.floating_network_id;
  if (network.empty()) {
    auto found = co_await octavia_.external_network(ctx);
    if (!found.ok()) co_return found.status();
    network = *std::move(found);
  }
  if (network.empty()) co_return balancer.vip_address;  // OS-289
  auto made = co_await octavia_.create_floating_ip(ctx, balancer.vip_port_id, network,
                                                   settings_.floating_subnet_id,
                                                   floating_ip_description(service));
  if (!made.ok()) co_return made.status();
  co_return made->address;
}

Task<Status> LoadBalancers::send_all(Ctx ctx, ExistingLoadBalancer& balancer,
                                     std::vector<LoadBalancerWrite> writes, std::string& done) {
  for (LoadBalancerWrite& write : writes) {
    std::string what = write.what;
    Status sent = co_await octavia_.send(ctx, std::move(write));
    if (sent.error_class() == ErrorClass::waiting) {
      balancer.status = "PENDING_UPDATE";
      co_return Status();
    }
    if (!sent.ok()) co_return std::move(sent).with_context(what);
    done += (done.empty() ? "" : ", ") + what;
    auto now = co_await octavia_.find(ctx, balancer.id);
    if (!now.ok()) co_return now.status();
    if (!*now) co_return broken(balancer);
    balancer.status = (*now)->status;
    if (balancer.status != "ACTIVE") co_return Status();
  }
  co_return Status();
}

Task<Result<LoadBalancer>> LoadBalancers::ensure(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  auto wanted = co_await want(ctx, service, backends);
  if (!wanted.ok()) co_return wanted.status();
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  std::string done;
  if (!*found) {
    auto made = co_await octavia_.create(ctx, creation(*wanted));
    if (!made.ok()) co_return made.status();
    done = "created";
    *found = *std::move(made);
  }
  ExistingLoadBalancer& balancer = **found;
  const bool adopting = !service.adopt_id.empty();
  if (!adopting && !has_tag(balancer, wanted->mark)) {
    co_return described(balancer, LoadBalancerState::foreign);
  }
  for (int round = 0; round < kRounds && balancer.status == "ACTIVE"; ++round) {
    Status read = co_await octavia_.read_children(ctx, balancer);
    if (!read.ok()) co_return read;
    auto writes = differences(*wanted, balancer);
    if (writes.empty()) break;
    Status sent = co_await send_all(ctx, balancer, std::move(writes), done);
    if (!sent.ok()) co_return sent;
  }
  if (balancer.status == "ERROR") co_return broken(balancer);
  if (balancer.pending()) {
    LoadBalancer pending = described(balancer, LoadBalancerState::pending);
    pending.difference = done;
    co_return pending;
  }
  auto address = co_await address_of(ctx, service, *wanted, balancer, true);
  if (!address.ok()) co_return address.status();
  LoadBalancer out = serving(balancer, *address);
  out.difference = done;
  co_return out;
}

Task<Result<LoadBalancer>> LoadBalancers::observe(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return LoadBalancer();
  ExistingLoadBalancer& balancer = **found;
  if (!has_tag(balancer, service_mark(service))) {
    co_return described(balancer, LoadBalancerState::foreign);
  }
  if (balancer.status != "ACTIVE") co_return described(balancer, LoadBalancerState::pending);
  auto wanted = co_await want(ctx, service, backends);
  if (!wanted.ok()) co_return wanted.status();
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  auto address = co_await address_of(ctx, service, *wanted, balancer, false);
  if (!address.ok()) co_return address.status();
  std::string difference = joined(differences(*wanted, balancer));
  if (address->empty()) difference += (difference.empty() ? "" : ", ") + std::string("floating IP");
  LoadBalancer out = address->empty() ? described(balancer, LoadBalancerState::pending)
                                      : serving(balancer, *address);
  out.difference = std::move(difference);
  co_return out;
}

Task<Result<LoadBalancer>> LoadBalancers::update(Ctx ctx, LoadBalancerService service,
                                                 Backends backends) {
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) {
    co_return Status(Code::not_found, ErrorClass::not_found, "the load balancer does not exist");
  }
  ExistingLoadBalancer& balancer = **found;
  if (!has_tag(balancer, service_mark(service))) co_return not_ours(balancer.id);
  if (balancer.status == "ERROR") co_return broken(balancer);
  if (balancer.pending()) co_return described(balancer, LoadBalancerState::pending);
  auto wanted = co_await want(ctx, service, backends);
  if (!wanted.ok()) co_return wanted.status();
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  std::string done;
  Status sent = co_await send_all(ctx, balancer, member_differences(*wanted, balancer), done);
  if (!sent.ok()) co_return sent;
  LoadBalancer out = described(balancer, LoadBalancerState::pending);
  if (balancer.status == "ACTIVE") {
    auto address = co_await address_of(ctx, service, *wanted, balancer, false);
    if (!address.ok()) co_return address.status();
    if (!address->empty()) out = serving(balancer, *address);
  }
  out.difference = done;
  co_return out;
}

// The floating IP first: it is found by the load balancer's port (OS-307).
Task<Status> LoadBalancers::remove(Ctx ctx, LoadBalancerService service) {
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return Status();
  const ExistingLoadBalancer& balancer = **found;
  if (!has_tag(balancer, service_mark(service))) co_return not_ours(balancer.id);
  if (balancer.pending()) co_return being_deleted(balancer.id);
  auto floating = co_await octavia_.floating_ip(ctx, balancer.vip_port_id);
  if (!floating.ok()) co_return floating.status();
  if (*floating && (*floating)->description == floating_ip_description(service)) {
    Status deleted = co_await octavia_.delete_floating_ip(ctx, (*floating)->id);
    if (!deleted.ok()) co_return deleted;
  }
  LoadBalancerWrite deletion;
  deletion.method = "DELETE";
  deletion.path = "loadbalancers/" + balancer.id + "?cascade=true";
  deletion.operation = "DeleteLoadBalancer";
  Status deleted = co_await octavia_.send(ctx, std::move(deletion));
  if (!deleted.ok()) co_return deleted;
  auto left = co_await octavia_.find(ctx, balancer.id);
  if (!left.ok()) co_return left.status();
  if (*left) co_return being_deleted(balancer.id);
  co_return Status();
}

}  // namespace ccm::openstack
