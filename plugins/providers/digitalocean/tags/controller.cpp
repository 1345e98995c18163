#include "controller.hpp"

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/request.hpp"
#include "digitalocean/tags/tagging.hpp"

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kTagKey = "tags";
constexpr std::string_view kTagServices = "v1/services";
constexpr milliseconds kTagPeriod{900'000};  // DO-278
constexpr milliseconds kTagTimeout{60'000};
constexpr milliseconds kTagFirstRetry{5'000};
constexpr milliseconds kTagLongestRetry{900'000};

}  // namespace

TagController::TagController(Host& host) : host_(host), api_(host), listing_(host, api_) {}

Status TagController::setup(Setup& setup) {
  auto settings = read_settings(host_.config);
  if (!settings.ok()) return settings.status();
  if (settings->cluster_id.empty()) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "DO_CLUSTER_ID is not set, so load balancers get no cluster tag");
  }
  api_.configure(*std::move(settings));
  QueueOptions options;
  options.backoff_first = kTagFirstRetry;
  options.backoff_limit = kTagLongestRetry;
  options.reconcile_timeout = kTagTimeout;
  setup.queue(options);
  Watch watch;
  watch.resource = kTagServices;
  watch.fields = {"/metadata/annotations", "/spec/type"};
  // New load balancers are made with the tag; only what others changed is looked for.
  watch.map = [](EventKind, const Object&, const Object&, const Queue&) {};
  setup.watch(std::move(watch));
  setup.every(kTagKey, kTagPeriod);
  return {};
}

Task<Result<ReconcileResult>> TagController::reconcile(Ctx ctx, Request) {
  const std::set<std::string> ids = recorded_ids();
  if (ids.empty()) co_return ReconcileResult{};  // DO-279: no call
  auto all = co_await listing_.get(milliseconds(0));
  if (!all.ok()) co_return all.status().with_context("failed to list load-balancers");
  std::vector<std::string> lacking = untagged(**all, ids);
  if (lacking.empty()) co_return ReconcileResult{};
  Status status = co_await tag(ctx, lacking);
  if (!status.ok()) co_return status.with_context("tags syncer failed");
  tagged_.insert(lacking.begin(), lacking.end());
  host_.log.info("load balancers got the cluster's tag",
                 {{"tag", api_.settings().cluster_tag()}, {"count", lacking.size()}});
  co_return ReconcileResult{};
}

std::set<std::string> TagController::recorded_ids() const {
  std::set<std::string> ids;
  host_.kube.cached_each(kTagServices, {}, [&](const Object& service) {
    if (service.text("/spec/type") != "LoadBalancer") return;
    const Annotations annotations = read_annotations(service);
    const std::string_view id = annotations.text(annotation::kId);
    const auto left_alone = disowned(annotations);
    if (!id.empty() && left_alone.ok() && !*left_alone) ids.emplace(id);
  });
  return ids;
}

// Only what exists: one stale id would refuse the whole batch (DO-281). Another cluster's tag is
// not added to.
std::vector<std::string> TagController::untagged(const LoadBalancerListing::Balancers& all,
                                                 const std::set<std::string>& ids) const {
  const std::string ours = api_.settings().cluster_tag();
  std::vector<std::string> lacking;
  for (const std::string& id : ids) {
    const auto place = all.find(id);
    if (place == all.end() || !place->second->foreign_cluster_tag(ours).empty()) continue;
    const auto& tags = place->second->tags;
    const bool has =
        tags ? std::find(tags->begin(), tags->end(), ours) != tags->end() : tagged_.contains(id);
    if (!has) lacking.push_back(id);
  }
  return lacking;
}

Task<Status> TagController::tag(Ctx ctx, std::vector<std::string> ids) {
  std::string tag = api_.settings().cluster_tag();
  std::string type = "load_balancer";
  Status status = co_await change_tag(api_, ctx, TagChange::add, tag, type, ids);
  co_return status;
}

}  // namespace ccm::digitalocean
