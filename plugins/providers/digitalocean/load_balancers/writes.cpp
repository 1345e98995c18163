// What LoadBalancerOperations changes in the cloud.
#include "compare.hpp"
#include "operations.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>

namespace ccm::digitalocean {
namespace {

// One that is gone still has its Node for a while; more of them are no coincidence.
constexpr size_t kAskedForRegion = 3;

// The cloud may have done what we asked for although we heard nothing of it.
bool answer_was_lost(const Status& status) {
  return status.code() == Code::deadline_exceeded || status.code() == Code::cancelled ||
         status.code() == Code::unavailable || status.code() == Code::data_loss;
}

// Whether the cloud may have refused because of a droplet that does not exist.
bool is_about_droplets(const Status& status) {
  return status.code() == Code::invalid_argument &&
         status.message().find("droplet") != std::string::npos;
}

// Refused for the sake of a droplet that is just going: its Node goes too, so this is tried again
// although the Service stays the same (DO-232).
Status judged(Status status) {
  return is_about_droplets(status) ? std::move(status).with_class(ErrorClass::unavailable) : status;
}

std::string path_of(const std::string& id) { return "/v2/load_balancers/" + percent_encode(id); }

}  // namespace

Task<Result<std::string>> LoadBalancerOperations::region_for(Ctx ctx,
                                                             std::vector<int64_t> droplet_ids) {
  if (!region_.empty()) co_return region_;
  Status gone;
  if (droplet_ids.size() > kAskedForRegion) droplet_ids.resize(kAskedForRegion);
  for (const int64_t id : droplet_ids) {
    auto droplet = co_await droplets_.get(ctx, id);
    if (droplet.ok() && !droplet->region.empty()) {
      region_ = droplet->region;
      co_return region_;
    }
    if (droplet.ok()) {
      co_return Status(Code::failed_precondition,
                       "failed to determine region: set the environment variable REGION");
    }
    gone = droplet.status().with_context("failed to determine region");
    if (gone.error_class() != ErrorClass::not_found) break;
  }
  co_return gone;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::write(Ctx ctx, Subject subject,
                                                                 Plan& plan) {
  auto written = co_await send(ctx, subject, plan);
  if (written.ok() || !is_about_droplets(written.status())) co_return written;
  const bool fewer = co_await missing_droplets_.take_out_refused(ctx, plan.wanted.droplet_ids);
  if (!fewer) co_return written;
  auto again = co_await send(ctx, subject, plan);
  co_return again;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::send(Ctx ctx, Subject subject,
                                                                Plan& plan) {
  if (!plan.existing) {
    auto made = co_await create(ctx, subject, plan.wanted);
    co_return made;
  }
  const bool only_backends =
      plan.differences.size() == 1 && plan.differences.front() == kBackendsDiffer;
  if (!only_backends) {
    auto replaced = co_await replace(ctx, plan.wanted, *plan.existing);
    co_return replaced;
  }
  if (plan.wanted.droplet_ids == plan.existing->droplet_ids) {
    plan.differences.clear();
    co_return *plan.existing;
  }
  auto retargeted = co_await retarget(ctx, plan.wanted.droplet_ids, *plan.existing);
  co_return retargeted;
}

Task<Status> LoadBalancerOperations::hold_tag(Ctx ctx, std::string tag,
                                              std::vector<int64_t> droplet_ids) {
  Status held = co_await tagged_droplets_.hold(ctx, tag, droplet_ids);
  if (held.ok() ||
      (held.code() != Code::invalid_argument && held.error_class() != ErrorClass::not_found)) {
    co_return held;
  }
  const bool fewer = co_await missing_droplets_.take_out_refused(ctx, droplet_ids);
  if (!fewer) co_return held;
  held = co_await tagged_droplets_.hold(ctx, tag, droplet_ids);
  co_return held;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::create(Ctx ctx, Subject subject,
                                                                  WantedLoadBalancer wanted) {
  auto region = co_await region_for(ctx, wanted.droplet_ids);
  if (!region.ok()) co_return region.status();
  wanted.region = *std::move(region);
  Call call;
  call.method = "POST";
  call.path = "/v2/load_balancers";
  call.operation = "CreateLoadBalancer";
  call.body = create_body(wanted);
  auto body = co_await api_.call(ctx, std::move(call));
  Status status = body.status();
  if (body.ok()) {
    auto made = parse_load_balancer(*body);
    if (made.ok()) {
      lost_creations_.erase(subject.service.uid);
      listing_.wrote(*made);
      co_return made;
    }
    status = made.status();
  }
  if (answer_was_lost(status)) {
    lost_creations_[subject.service.uid] = wanted.name;
    listing_.forget();
  }
  status = judged(status.with_context("failed to create load-balancer"));
  if (status.error_class() == ErrorClass::invalid_spec) {
    status = co_await explain_name(status, wanted.name);
  }
  co_return status;
}

// DO-122: the API says only that the name is taken. With the id the user can decide.
Task<Status> LoadBalancerOperations::explain_name(Status refused, std::string name) {
  if (refused.message().find("already a load balancer with that name") == std::string::npos) {
    co_return refused;
  }
  auto listed = co_await listing_.get(std::chrono::milliseconds(0));
  if (!listed.ok()) co_return refused;
  for (const auto& [id, balancer] : **listed) {
    if (balancer->name != name) continue;
    co_return Status(refused.code(), refused.error_class(),
                     refused.message() + "; it is " + id +
                         ". A load balancer is never taken over by its name: to use that one, set "
                         "the annotation " +
                         std::string(annotation::kId) + " to its id")
        .with_reason(refused.reason());
  }
  co_return refused;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::replace(Ctx ctx,
                                                                   WantedLoadBalancer wanted,
                                                                   ExistingLoadBalancer existing) {
  Call call;
  call.method = "PUT";
  call.path = path_of(existing.id);
  call.operation = "UpdateLoadBalancer";
  call.body = update_body(wanted, existing);
  auto body = co_await api_.call(ctx, std::move(call));
  if (!body.ok()) {
    listing_.forget();
    std::string context = "failed to update load-balancer with ID ";
    context += existing.id;
    co_return judged(body.status().with_context(context));
  }
  auto changed = parse_load_balancer(*body);
  if (changed.ok()) {
    listing_.wrote(*changed);
  } else {
    listing_.forget();
  }
  co_return changed;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::retarget(
    Ctx ctx, std::vector<int64_t> droplet_ids, ExistingLoadBalancer existing) {
  const TargetChange change = target_change(droplet_ids, existing);
  Status status;
  // First the new ones, so that it never stands without any.
  if (!change.added.empty()) {
    status = co_await send_targets(ctx, "POST", existing.id, change.added);
  }
  if (status.ok() && !change.removed.empty()) {
    status = co_await send_targets(ctx, "DELETE", existing.id, change.removed);
  }
  if (!status.ok()) {
    listing_.forget();
    co_return judged(status.with_context("failed to update load-balancer with ID " + existing.id));
  }
  existing.droplet_ids = std::move(droplet_ids);
  listing_.wrote(existing);
  co_return existing;
}

Task<Status> LoadBalancerOperations::send_targets(Ctx ctx, std::string method, std::string id,
                                                  std::vector<int64_t> droplet_ids) {
  Call call;
  call.method = method;
  call.path = path_of(id) + "/droplets";
  call.operation = method == "POST" ? "AddLoadBalancerDroplets" : "RemoveLoadBalancerDroplets";
  call.body = droplets_body(droplet_ids);
  auto body = co_await api_.call(ctx, std::move(call));
  co_return body.status();
}

Task<Status> LoadBalancerOperations::remove(Ctx ctx, LoadBalancerService service) {
  auto subject = read_subject(std::move(service));
  if (!subject.ok()) {
    // Left alone on deletion too (DO-118): what the Service had stays.
    if (subject.status().code() == Code::implemented_elsewhere) co_return Status();
    co_return subject.status();
  }
  auto found = co_await find(ctx, subject->service);
  if (!found.ok()) co_return found.status();
  if (!found->existing) co_return Status();
  const std::string id = found->existing->id;
  if (found->foreign) {
    const std::string tag = found->existing->foreign_cluster_tag(api_.settings().cluster_tag());
    co_return Status(Code::failed_precondition, "load balancer " + id + " bears the tag " + tag +
                                                    " of another cluster; it was not deleted")
        .with_reason("NotOwned");
  }
  Call call;
  call.method = "DELETE";
  call.path = path_of(id);
  call.operation = "DeleteLoadBalancer";
  auto body = co_await api_.call(ctx, std::move(call));
  Status status = body.status();
  if (!status.ok() && status.error_class() != ErrorClass::not_found) {  // DO-116
    listing_.forget();
    co_return status.with_context("failed to delete load-balancer");
  }
  listing_.deleted(id);
  pending_since_.erase(id);
  lost_creations_.erase(subject->service.uid);
  warned_.erase(subject->service.uid);
  co_return Status();
}

}  // namespace ccm::digitalocean
