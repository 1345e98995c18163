#include "controller.hpp"

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/request.hpp"
#include "digitalocean/load_balancers/service_view.hpp"
#include "digitalocean/tags/tagging.hpp"

#include <ccm/watch.hpp>

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

TagController::TagController(Host& host)
    : host_(host), api_(host), listing_(host, api_), ownership_(host, api_) {}

Status TagController::setup(Setup& setup) {
  auto settings = read_settings(host_.config);
  if (!settings.ok()) return told_by_provider();
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
  // New load balancers are created with the tag; this only repairs changes of others.
  watch(setup, kTagServices, service_view_fields(),
        [](EventKind, const Object&, const Object&, const Queue&) {});
  setup.every(kTagKey, kTagPeriod);
  return {};
}

Task<Result<ReconcileResult>> TagController::reconcile(Ctx ctx, Request) {
  const std::vector<LoadBalancerService> services = recorded();
  if (services.empty()) co_return ReconcileResult{};  // DO-279: no call
  auto all = co_await listing_.get(ctx, milliseconds(0));
  if (!all.ok()) co_return all.status().with_context("failed to list load-balancers");
  std::erase_if(tagged_, [&](const std::string& id) { return !(*all)->contains(id); });
  std::vector<std::string> lacking = untagged(**all, services);
  if (lacking.empty()) co_return ReconcileResult{};
  Status status = co_await tag(ctx, lacking);
  if (!status.ok()) co_return status.with_context("tags syncer failed");
  tagged_.insert(lacking.begin(), lacking.end());
  host_.log.info("Load balancers got the cluster's tag",
                 {{"tag", api_.settings().cluster_tag()}, {"count", lacking.size()}});
  co_return ReconcileResult{};
}

std::vector<LoadBalancerService> TagController::recorded() const {
  std::vector<LoadBalancerService> services;
  host_.kube.cached_each(kTagServices, {}, [&](const Object& object) {
    if (object.text("/spec/type") != "LoadBalancer") return;
    LoadBalancerService service = service_view(object);
    const auto left_alone =
        disowned(host_.config, object.namespace_name(), read_annotations(object));
    if (service.id.empty() || !left_alone.ok() || *left_alone) return;
    services.push_back(std::move(service));
  });
  return services;
}

// Only existing ones: one stale id would fail the whole batch (DO-281). Only the Service's own: a
// tag on somebody else's would claim it, or take it from another cluster.
std::vector<std::string> TagController::untagged(
    const LoadBalancerListing::Balancers& all,
    const std::vector<LoadBalancerService>& services) const {
  const std::string ours = api_.settings().cluster_tag();
  std::set<std::string> lacking;
  for (const LoadBalancerService& service : services) {
    const auto place = all.find(service.id);
    if (place == all.end()) continue;
    if (!ownership_.owns(Ownership::claim_of(service, all), *place->second)) continue;
    const bool has =
        place->second->tags ? place->second->has_tag(ours) : tagged_.contains(service.id);
    if (!has) lacking.insert(service.id);
  }
  return {lacking.begin(), lacking.end()};
}

Task<Status> TagController::tag(Ctx ctx, std::vector<std::string> ids) {
  std::string tag = api_.settings().cluster_tag();
  std::string type = "load_balancer";
  Status status = co_await change_tag(api_, ctx, TagChange::add, tag, type, ids);
  co_return status;
}

}  // namespace ccm::digitalocean
