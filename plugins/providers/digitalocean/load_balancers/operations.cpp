#include "operations.hpp"

#include "compare.hpp"
#include "digitalocean/droplet.hpp"
#include "digitalocean/text.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;
using Found = std::optional<ExistingLoadBalancer>;

LoadBalancer absent() { return {}; }

// Without its id, which must not be recorded.
LoadBalancer foreign(const ExistingLoadBalancer& balancer) {
  LoadBalancer result;
  result.state = LoadBalancerState::foreign;
  result.name = balancer.name;
  return result;
}

Status not_there(const std::string& name) {
  return Status(Code::not_found, ErrorClass::not_found, "load balancer " + name + " does not exist")
      .with_reason("LoadBalancerNotFound");
}

}  // namespace

// The name that another Service's load balancer has, or will have when it is made again, is that
// one's mark.
Status LoadBalancerOperations::check_name(const Subject& subject, const Found& existing) {
  const std::string& name = subject.traits.name;
  if (!is_uid_name(name) || name == subject.service.default_name) return {};
  if (existing && existing->name == name) return {};
  return config_error("annotation " + std::string(annotation::kName) + ": " + go_quoted(name) +
                      " looks like a name that is made from a Service's UID: choose another one");
}

// The recorded id has precedence (DO-95); without it, or when it no longer exists, all load
// balancers are searched.
Task<Result<LoadBalancerOperations::Plan>> LoadBalancerOperations::find(
    Ctx ctx, LoadBalancerService service) {
  Plan plan;
  plan.adopting = !service.adopt_id.empty();
  const std::string id = plan.adopting ? service.adopt_id : service.id;
  if (!id.empty()) {
    auto found = co_await by_id(ctx, id);
    if (!found.ok()) co_return found.status();
    plan.existing = *std::move(found);
    if (!plan.existing && plan.adopting) {
      co_return config_error("there is no load balancer " + id + " to take over");
    }
  }
  if (plan.adopting) co_return plan;
  if (!plan.existing) {
    auto found = co_await by_proof(ctx, std::move(service));
    co_return found;
  }
  const auto listed = co_await listing_.get(ctx, kFreshForMarks);
  if (!listed.ok()) co_return listed.status();
  plan.foreign = !ownership_.proven(service, *plan.existing, **listed);
  co_return plan;
}

// From the shared listing; an absent one is asked for again, since "gone" has to be certain.
Task<Result<Found>> LoadBalancerOperations::by_id(Ctx ctx, std::string id) {
  auto listed = co_await listing_.get(ctx, kFresh);
  if (!listed.ok()) co_return listed.status();
  auto place = (*listed)->find(id);
  if (place != (*listed)->end() && place->second->in_creation()) {
    listed = co_await listing_.get(ctx, kFreshInCreation);
    if (!listed.ok()) co_return listed.status();
    place = (*listed)->find(id);
  }
  if (place != (*listed)->end()) co_return Found(*place->second);
  Call question;
  question.path = "/v2/load_balancers/" + percent_encode(id);
  question.operation = "GetLoadBalancer";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) {
    if (body.status().error_class() == ErrorClass::not_found) co_return Found();
    co_return body.status().with_context("failed to get load-balancer by ID " + id);
  }
  auto balancer = parse_load_balancer(*body);
  if (!balancer.ok()) co_return balancer.status();
  listing_.wrote(*balancer);
  co_return Found(*std::move(balancer));
}

// Returned even if it bears the Service's name and somebody else's mark, so that nobody tries to
// create another one.
Task<Result<LoadBalancerOperations::Plan>> LoadBalancerOperations::by_proof(
    Ctx ctx, LoadBalancerService service) {
  auto listed = co_await listing_.get(ctx, kFresh);
  if (!listed.ok()) co_return listed.status();
  Plan plan;
  const Ownership::Claim claim = Ownership::claim_of(service, **listed);
  for (const auto& [id, balancer] : **listed) {
    const bool ours = ownership_.owns(claim, *balancer);
    if (!ours && balancer->name != claim.name) continue;
    plan.existing = *balancer;
    plan.foreign = !ours;
    if (ours) break;
  }
  if (plan.existing && !plan.foreign) ownership_.remember(service, plan.existing->id);
  co_return plan;
}

Task<Result<LoadBalancerOperations::Plan>> LoadBalancerOperations::plan(Ctx ctx, Subject subject,
                                                                        Backends backends,
                                                                        Plan plan) {
  warn(subject, plan.existing);
  Status named = check_name(subject, plan.existing);
  if (!named.ok()) co_return named;
  const std::string type = plan.existing ? plan.existing->type : subject.traits.type;
  const std::string network = plan.existing ? plan.existing->network : subject.traits.network;
  if (type != kRegional && type != kRegionalNetwork) {
    co_return config_error("load balancer " + plan.existing->id + " is of type " + type +
                           ", which no Service can have");
  }
  auto eligible = select_backends(backends, type, network);
  if (!eligible.ok()) co_return eligible.status();
  // One tag serves load balancers of any type, so it is on all offered nodes.
  const bool by_tag = !subject.traits.target_tag.empty();
  Backends reached = by_tag ? std::move(backends) : eligible->backends;
  auto droplet_ids = co_await targets(ctx, std::move(reached));
  if (!droplet_ids.ok()) co_return droplet_ids.status();
  const ExistingLoadBalancer* existing = plan.existing ? &*plan.existing : nullptr;
  auto certificate = co_await certificates_.choose(ctx, subject.traits, existing);
  if (!certificate.ok()) co_return certificate.status();
  plan.renewed_certificate_id = certificate->renewed_id;
  const RequestInput input{subject.service, subject.annotations, api_.settings(),
                           subject.traits,  *eligible,           *droplet_ids,
                           existing,        certificate->id,     region_};
  auto wanted = build_request(input);
  if (!wanted.ok()) co_return wanted.status().with_context("failed to build load-balancer request");
  plan.wanted = *std::move(wanted);
  if (existing == nullptr) co_return plan;
  plan.differences = settings_to_write(plan.wanted, *existing);
  if (plan.adopting) {
    const auto listed = co_await listing_.get(ctx, kFreshForMarks);
    if (!listed.ok()) co_return listed.status();
    if (!ownership_.proven(subject.service, *existing, **listed)) {
      plan.differences.emplace_back(kOwnerDiffers);
    }
  }
  if (marks_.due(plan.wanted.cluster_tag, *existing)) plan.differences.emplace_back(kTagDiffers);
  co_return plan;
}

Task<Result<LoadBalancer>> LoadBalancerOperations::observe(Ctx ctx, LoadBalancerService service,
                                                           Backends backends) {
  auto subject = read_subject(std::move(service));
  if (!subject.ok()) co_return subject.status();
  auto found = co_await find(ctx, subject->service);
  if (!found.ok()) co_return found.status();
  if (!found->existing) co_return absent();
  if (found->foreign) co_return foreign(*found->existing);
  auto planned = co_await plan(ctx, *subject, std::move(backends), *std::move(found));
  if (!planned.ok()) co_return planned.status();
  co_return answer(*subject, *planned->existing, planned->renewed_certificate_id,
                   joined(planned->differences));
}

Task<Result<LoadBalancer>> LoadBalancerOperations::ensure(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  auto subject = read_subject(std::move(service));
  if (!subject.ok()) co_return subject.status();
  auto found = co_await find(ctx, subject->service);
  if (!found.ok()) co_return found.status();
  if (found->foreign) co_return foreign(*found->existing);
  auto planned = co_await plan(ctx, *subject, std::move(backends), *std::move(found));
  if (!planned.ok()) co_return planned.status();
  if (!planned->wanted.target_tag.empty()) {
    Status held = co_await hold_tag(ctx, planned->wanted.target_tag, planned->wanted.droplet_ids);
    if (!held.ok()) co_return held;
  }
  // A load balancer that is being created is not changed.
  if (planned->existing && planned->existing->status == "new") {
    co_return answer(*subject, *planned->existing, planned->renewed_certificate_id, "");
  }
  auto written = co_await write(ctx, *subject, *planned);
  if (!written.ok()) co_return written.status();
  co_return answer(*subject, *written, planned->renewed_certificate_id,
                   planned->existing ? joined(planned->differences) : "created");
}

Task<Result<LoadBalancer>> LoadBalancerOperations::update(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  auto subject = read_subject(std::move(service));
  if (!subject.ok()) co_return subject.status();
  auto found = co_await find(ctx, subject->service);
  if (!found.ok()) co_return found.status();
  if (!found->existing) co_return not_there(subject->traits.name);
  if (found->foreign) co_return foreign(*found->existing);
  const ExistingLoadBalancer& existing = *found->existing;
  if (existing.target_tag != subject->traits.target_tag) {
    auto ensured = co_await ensure(ctx, subject->service, std::move(backends));
    co_return ensured;
  }
  auto eligible = select_backends(backends, existing.type, existing.network);
  if (!eligible.ok()) co_return eligible.status();
  const bool by_tag = !existing.target_tag.empty();
  Backends reached = by_tag ? std::move(backends) : eligible->backends;
  auto droplet_ids = co_await targets(ctx, std::move(reached));
  if (!droplet_ids.ok()) co_return droplet_ids.status();
  if (by_tag) {
    Status held = co_await hold_tag(ctx, existing.target_tag, *droplet_ids);
    if (!held.ok()) co_return held;
    co_return answer(*subject, existing, "", "");
  }
  if (existing.status == "new") co_return answer(*subject, existing, "", "");
  found->wanted.droplet_ids = *std::move(droplet_ids);
  found->differences = {kBackendsDiffer};
  if (existing.name != subject->service.default_name) {
    found->wanted.mark = api_.settings().service_tag(subject->service);
  }
  auto written = co_await write(ctx, *subject, *found);
  if (!written.ok()) co_return written.status();
  co_return answer(*subject, *written, "", joined(found->differences));
}

// Droplets by provider ID; Nodes without one by name or address, with one listing for all (DO-227).
// Backends that match no droplet of this cloud are skipped, and the others are not blocked (DO-228,
// DO-380).
Task<Result<std::vector<int64_t>>> LoadBalancerOperations::targets(Ctx ctx, Backends backends) {
  std::vector<int64_t> ids;
  std::vector<const Backend*> without_id;
  std::vector<std::string> left_out;
  for (const Backend& backend : backends) {
    if (backend.provider_id.empty()) {
      without_id.push_back(&backend);
      continue;
    }
    const auto id = droplet_id(backend.provider_id);
    if (id.ok()) {
      ids.push_back(*id);
    } else {
      left_out.push_back(backend.name);
    }
  }
  if (!without_id.empty()) {
    auto all = co_await droplets_.list(ctx);
    if (!all.ok()) co_return all.status().with_context("failed to list all droplets");
    std::map<std::string_view, const Instance*> by_name;  // and address: the first one listed
    for (const Instance& droplet : *all) {
      by_name.emplace(droplet.name, &droplet);
      for (const NodeAddress& address : droplet.addresses) {
        by_name.emplace(address.address, &droplet);
      }
    }
    for (const Backend* backend : without_id) {
      const auto place = by_name.find(backend->name);
      if (place != by_name.end()) {
        ids.push_back(*droplet_id(place->second->provider_id));
      } else {
        left_out.push_back(backend->name);
      }
    }
  }
  if (!left_out.empty()) {
    host_.log.warning("Nodes that are not droplets get no traffic", {{"nodes", joined(left_out)}});
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const bool some_are_gone = co_await missing_droplets_.take_out_known(ctx, ids);
  if (ids.empty()) {
    co_return Status(Code::failed_precondition, ErrorClass::unavailable,
                     some_are_gone
                         ? "no ready nodes available for load balancer: their droplets are gone"
                         : "no ready nodes available for load balancer: no node is a droplet")
        .with_reason(kConfigError);
  }
  co_return ids;
}

}  // namespace ccm::digitalocean
