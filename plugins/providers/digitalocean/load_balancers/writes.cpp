// The writes of LoadBalancerOperations to the cloud.
#include "compare.hpp"
#include "digitalocean/text.hpp"
#include "operations.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

// A deleted droplet's Node stays for a while; more of them are no coincidence.
constexpr size_t kAskedForRegion = 3;

// The cloud may have carried out the request although no answer came.
bool answer_was_lost(const Status& status) {
  return status.code() == Code::deadline_exceeded || status.code() == Code::cancelled ||
         status.code() == Code::unavailable || status.code() == Code::data_loss;
}

// Whether the cloud may have refused because of a droplet that does not exist.
bool is_about_droplets(const Status& status) {
  return status.code() == Code::invalid_argument &&
         status.message().find("droplet") != std::string::npos;
}

// Refused because of a droplet that is just being deleted: its Node goes too, so this is retried
// although the Service stays the same (DO-232).
Status judged(Status status) {
  return is_about_droplets(status) ? std::move(status).with_class(ErrorClass::unavailable) : status;
}

// The API's own words, also used when the listing shows it before.
constexpr const char* kNameTaken = "There is already a load balancer with that name";

Status name_taken() {
  return config_error(std::string("failed to create load-balancer: ") + kNameTaken +
                      ", which is not this Service's. None is taken over by its name: choose "
                      "another one");
}

// The differences that a PUT or a change of targets removes.
std::vector<std::string> settings_of(std::vector<std::string> differences) {
  std::erase(differences, kOwnerDiffers);
  std::erase(differences, kTagDiffers);
  return differences;
}

std::string settings_body(WantedLoadBalancer wanted, const ExistingLoadBalancer& existing) {
  wanted.droplet_ids.clear();
  return update_body(wanted, existing);
}

std::string path_of(const std::string& id) { return "/v2/load_balancers/" + percent_encode(id); }

std::string droplets_that_go(const std::vector<int64_t>& ids) {
  constexpr size_t kMost = 20;
  if (ids.empty()) return {};
  std::string text =
      std::to_string(ids.size()) + (ids.size() == 1 ? " droplet goes: " : " droplets go: ");
  for (size_t i = 0; i < std::min(ids.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ids[i]);
  }
  if (ids.size() > kMost) text += " and " + std::to_string(ids.size() - kMost) + " more";
  return text;
}

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
  if (plan.existing && plan.differences.empty()) co_return *plan.existing;
  auto written = co_await write_settings(ctx, subject, plan);
  if (!plan.existing) co_return written;
  const bool recorded = is_dry_run(written.status());
  if (!written.ok() && !recorded) co_return written;
  ExistingLoadBalancer unchanged = *plan.existing;  // by a dry run
  ExistingLoadBalancer& now = recorded ? unchanged : *written;
  if (plan.adopting) {
    co_await marks_.take_over(ctx, subject.service, plan.wanted, now);
    ownership_.remember(subject.service, now.id);
  } else {
    // A load balancer that needs no other write keeps its marks, so that one which DigitalOcean's
    // own manager created is taken over without a write.
    if (settings_of(plan.differences).empty()) plan.wanted.mark.clear();
    co_await marks_.put(ctx, plan.wanted, now);
  }
  if (written.ok()) listing_.wrote(*written);
  co_return written;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::write_settings(Ctx ctx, Subject subject,
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
  const std::vector<std::string> settings = settings_of(plan.differences);
  if (settings.empty()) co_return *plan.existing;
  if (settings != std::vector<std::string>{kBackendsDiffer}) {
    auto replaced = co_await replace(ctx, plan.wanted, *plan.existing);
    if (replaced.ok()) note_what_was_not_taken(subject, plan.wanted, *replaced);
    co_return replaced;
  }
  if (plan.wanted.droplet_ids == plan.existing->droplet_ids) {
    std::erase(plan.differences, kBackendsDiffer);
    co_return *plan.existing;
  }
  auto retargeted = co_await retarget(ctx, plan.wanted.droplet_ids, *plan.existing);
  co_return retargeted;
}

std::vector<std::string> LoadBalancerOperations::settings_to_write(
    const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing) const {
  std::vector<std::string> found = differences(wanted, existing);
  const auto known = not_taken_.find(existing.id);
  if (known == not_taken_.end() || known->second.asked != settings_body(wanted, existing)) {
    return found;
  }
  for (const std::string& name : known->second.differences) std::erase(found, name);
  return found;
}

void LoadBalancerOperations::note_what_was_not_taken(const Subject& subject,
                                                     const WantedLoadBalancer& wanted,
                                                     const ExistingLoadBalancer& made) {
  std::vector<std::string> left = differences(wanted, made);
  std::erase(left, kBackendsDiffer);
  if (left.empty()) {
    not_taken_.erase(made.id);
    return;
  }
  host_.events.warning(subject.service.object, "LoadBalancerConfigWarning",
                       "DigitalOcean did not apply these settings as requested: " + joined(left) +
                           "; they are not written again before the Service changes");
  not_taken_[made.id] = {settings_body(wanted, made), std::move(left)};
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
  // DO-122. After this a load balancer of that name is the requested one.
  auto listed = co_await listing_.get(ctx, kFresh);
  if (!listed.ok()) co_return listed.status();
  for (const auto& [id, balancer] : **listed) {
    if (balancer->name == wanted.name) co_return name_taken();
  }
  auto body = co_await send_creation(ctx, wanted);
  Status status = body.status();
  if (body.ok()) {
    auto made = parse_load_balancer(*body);
    if (made.ok()) {
      ownership_.remember(subject.service, made->id);
      listing_.wrote(*made);
      co_return made;
    }
    status = made.status();
  }
  if (answer_was_lost(status)) {
    ownership_.remember_lost(subject.service, wanted.name, !wanted.mark.empty());
    listing_.forget();
  }
  if (status.message().find(kNameTaken) != std::string::npos) co_return name_taken();
  co_return judged(status.with_context("failed to create load-balancer"));
}

// A token made for DigitalOcean's manager may lack the right to create tags (DO-309).
Task<Result<std::string>> LoadBalancerOperations::send_creation(Ctx ctx,
                                                                WantedLoadBalancer& wanted) {
  if (!marks_.allowed()) wanted.mark.clear();
  Call call;
  call.method = "POST";
  call.path = "/v2/load_balancers";
  call.operation = "CreateLoadBalancer";
  call.body = create_body(wanted);
  Call without_mark = call;
  auto body = co_await api_.call(ctx, std::move(call));
  const bool forbidden = body.status().code() == Code::permission_denied &&
                         body.status().error_class() != ErrorClass::quota;
  if (body.ok() || !forbidden || wanted.mark.empty()) co_return body;
  wanted.mark.clear();
  without_mark.body = create_body(wanted);
  auto second = co_await api_.call(ctx, std::move(without_mark));
  if (second.ok()) marks_.refused(body.status());
  co_return second;
}

Task<Result<ExistingLoadBalancer>> LoadBalancerOperations::replace(Ctx ctx,
                                                                   WantedLoadBalancer wanted,
                                                                   ExistingLoadBalancer existing) {
  Call call;
  call.method = "PUT";
  call.path = path_of(existing.id);
  call.operation = "UpdateLoadBalancer";
  call.body = update_body(wanted, existing);
  call.replaces = droplets_that_go(target_change(wanted.droplet_ids, existing).removed);
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
  // The new ones first, so that it never has none.
  if (!change.added.empty()) {
    status = co_await send_targets(ctx, "POST", existing.id, change.added);
  }
  if ((status.ok() || is_dry_run(status)) && !change.removed.empty()) {
    Status removed = co_await send_targets(ctx, "DELETE", existing.id, change.removed);
    if (status.ok()) status = std::move(removed);
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
  if (method == "DELETE") call.replaces = droplets_that_go(droplet_ids);
  auto body = co_await api_.call(ctx, std::move(call));
  co_return body.status();
}

Task<Status> LoadBalancerOperations::remove(Ctx ctx, LoadBalancerService service) {
  warned_.erase(service.uid);  // also of one whose load balancer stays
  // Nothing else of the Service is read: an impossible Service can still be deleted.
  const auto left_alone =
      disowned(host_.config, service.namespace_name, read_annotations(service.object));
  if (!left_alone.ok()) {
    co_return Status(Code::implemented_elsewhere, ErrorClass::invalid_spec,
                     left_alone.status().message());
  }
  if (*left_alone) co_return left_alone_by_annotation();
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  const bool foreign = found->foreign;
  // Its annotation may name another load balancer than its own.
  if (foreign) found = co_await by_proof(ctx, service);
  if (!found.ok()) co_return found.status();
  if (found->existing && !found->foreign) {
    Status deleted = co_await delete_one(ctx, service, *found->existing);
    if (!deleted.ok()) co_return deleted;
  }
  ownership_.forget(service);
  if (!foreign) co_return Status();
  co_return Status(Code::failed_precondition,
                   "the load balancer that is recorded is not proven to be this Service's; it was "
                   "not deleted")
      .with_reason("NotOwned");
}

Task<Status> LoadBalancerOperations::delete_one(Ctx ctx, LoadBalancerService service,
                                                ExistingLoadBalancer balancer) {
  Call call;
  call.method = "DELETE";
  call.path = path_of(balancer.id);
  call.operation = "DeleteLoadBalancer";
  auto body = co_await api_.call(ctx, std::move(call));
  Status status = body.status();
  if (!status.ok() && status.error_class() != ErrorClass::not_found) {  // DO-116
    listing_.forget();
    co_return status.with_context("failed to delete load-balancer");
  }
  listing_.deleted(balancer.id);
  not_taken_.erase(balancer.id);
  co_await marks_.drop(ctx, service, balancer);
  co_return Status();
}

}  // namespace ccm::digitalocean
