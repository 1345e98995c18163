// The verdict on one deletion after the observations of the cloud: it is held, refused or written.
#include "cloud/deletion/brake_text.hpp"
#include "cloud/deletion/deletion_refusals.hpp"
#include "cloud/deletion/node_deletion_case.hpp"
#include "plugin/brake_status.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using runtime::BrakeJudgement;
using runtime::BrakeVerdict;
using std::chrono::milliseconds;

namespace {

// The answer is lost, but the write may have been done.
bool may_have_happened(const Status& status) {
  return status.error_class() == ErrorClass::unavailable ||
         status.code() == Code::deadline_exceeded;
}

}  // namespace

void NodeDeletions::conclude(const CasePtr& one, const InstanceAnswer& answer, Standing canary) {
  const auto stop = [&](Status status, const char* decision) {
    brake_of(*one).not_deleted(one->node.uid);
    fail(one, std::move(status), decision);
  };
  if (!answer.status.ok()) {
    return stop(second_look_failed(answer.status), "unknown");
  }
  switch (standing_of(answer.state())) {
    case Standing::exists:
    case Standing::unclear:
      return stop(instance_exists(one->node.name), "exists");
    case Standing::terminated:
      one->ground = "terminated";
      return read_fresh(one);
    case Standing::absent:
      break;
  }
  if (canary != Standing::exists && !one->node.released) {
    brake_of(*one).not_deleted(one->node.uid);
    return hold(one, {BrakeVerdict::blind, milliseconds(0)});
  }
  read_fresh(one);
}

void NodeDeletions::read_fresh(const CasePtr& one) {
  auto nodes = kube::resources::nodes();
  one->deletion.api->get(nodes, {}, one->node.name, one->deletion.call,
                         [weak = std::weak_ptr(self_), one](const Result<std::string>& body) {
                           const auto self = weak.lock();
                           if (!self) return;
                           const auto object = body ? kube::Object::decode(*body)
                                                    : Result<kube::ObjectPtr>(body.status());
                           if (object) return (*self)->send(one, facts_of(*object));
                           (*self)->brake_of(*one).not_deleted(one->node.uid);
                           (*self)->fail(one, object.status(), "failed");
                         });
}

void NodeDeletions::send(const CasePtr& one, const NodeFacts& fresh) {
  const auto& wanted_version = one->deletion.options.resource_version;
  Status problem;
  if (fresh.uid != one->node.uid || fresh.provider_id != one->node.provider_id ||
      (!wanted_version.empty() && wanted_version != fresh.object->resource_version())) {
    problem = node_changed(one->node.name);
  } else if (fresh.ready) {
    problem = node_is_ready(one->node.name);
  } else if (!deps_.may_write()) {
    problem = refused_deletion("NotLeading", "this host does not hold the leader lease any more");
  } else if (deps_.timers.now() >= one->deadline) {
    problem =
        Status(Code::deadline_exceeded, "the caller that requested the deletion has given up");
  }
  if (!problem.ok()) {
    brake_of(*one).not_deleted(one->node.uid);
    return fail(one, std::move(problem), "refused");
  }
  kube::DeleteOptions options = one->deletion.options;
  options.uid = fresh.uid;
  options.resource_version = fresh.object->resource_version();  // nothing happened since that read
  one->deletion.api->remove(kube::resources::nodes(), {}, one->node.name, options,
                            one->deletion.call,
                            [weak = std::weak_ptr(self_), one](Result<std::string> answer) {
                              if (const auto self = weak.lock())
                                (*self)->sent(one, std::move(answer));
                            });
}

void NodeDeletions::sent(const CasePtr& one, Result<std::string> answer) {
  if (answer.status().error_class() == ErrorClass::conflict && --one->tries_left > 0 &&
      one->deletion.options.resource_version.empty()) {
    return read_fresh(one);
  }
  if (answer || answer.status().error_class() == ErrorClass::not_found) {
    held_.forget(one->node);
    note_deleted(one->node.name);
    deps_.telemetry.decided(one->ground);
    return end(one, std::move(answer));
  }
  if (!may_have_happened(answer.status())) brake_of(*one).not_deleted(one->node.uid);
  fail(one, answer.status(), "failed");
}

void NodeDeletions::note_deleted(const std::string& name) {
  const auto now = deps_.timers.now();
  std::erase_if(deleted_,
                [&](const auto& entry) { return now - entry.second > brake_.options().window; });
  deleted_[name] = now;
}

bool NodeDeletions::deleted(const std::string& name) const {
  const auto found = deleted_.find(name);
  return found != deleted_.end() && deps_.timers.now() - found->second <= brake_.options().window &&
         !deps_.cache.get("v1/nodes", {}, name);
}

std::string NodeDeletions::why_held_back(const Case& one, BrakeVerdict verdict) const {
  const runtime::BrakeReport strangers = apart_.report(deps_.timers.now());
  if (one.apart && strangers.engaged) {
    return why_held(verdict, strangers, apart_.options(), subject_strangers());
  }
  return why_held(verdict, report(), brake_.options(), subject_nodes());
}

void NodeDeletions::hold(const CasePtr& one, BrakeJudgement judgement) {
  ++held_in_round_;
  held_.hold(one->node);
  const bool limited =
      judgement.verdict == BrakeVerdict::over_limit || judgement.verdict == BrakeVerdict::too_early;
  const std::string message = "The Node is not deleted: " + why_held_back(*one, judgement.verdict) +
                              ". To let it go now: kubectl annotate node " + one->node.name + " " +
                              std::string(kAllowDeletion) + "=true";
  deps_.telemetry.held(*one->node.object, message);
  const milliseconds pause = std::min(std::max(judgement.retry_after, milliseconds(1)), kHeldPause);
  fail(one,
       waiting_deletion(limited ? kDeletionHeld : kCloudViewBlind, message).with_retry_after(pause),
       limited ? "held" : "blind");
}

void NodeDeletions::fail(const CasePtr& one, Status status, const char* decision) {
  if (status.error_class() != ErrorClass::waiting) held_.forget(one->node);
  deps_.telemetry.decided(decision);
  end(one, std::move(status));
}

void NodeDeletions::end(const CasePtr& one, Result<std::string> result) {
  const auto done = std::exchange(one->deletion.done, nullptr);
  if (done) done(std::move(result));
}

}  // namespace ccm::plugin
