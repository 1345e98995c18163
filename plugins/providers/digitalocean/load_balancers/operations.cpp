#include "operations.hpp"

#include "compare.hpp"
#include "digitalocean/droplet.hpp"
#include "digitalocean/text.hpp"

#include <ccm/namespace_rules.hpp>
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

// kube-proxy sends in-cluster clients of a "VIP" address straight to the Pods. Where the load
// balancer terminates TLS or adds the PROXY header, they have to go through it (DO-239, DO-375).
bool needs_the_way_through(const ExistingLoadBalancer& balancer) {
  return balancer.type == kRegional &&
         (balancer.enable_proxy_protocol || !balancer.certificate_id().empty());
}

// DO-236, DO-238
std::vector<Ingress> ingress_of(const ExistingLoadBalancer& balancer, const std::string& hostname) {
  std::vector<Ingress> all;
  if (!hostname.empty()) {
    all.emplace_back().hostname = hostname;
    return all;
  }
  for (const std::string& address : {balancer.ip, balancer.ipv6}) {
    if (address.empty()) continue;
    Ingress& ingress = all.emplace_back();
    ingress.ip = address;
    if (needs_the_way_through(balancer)) ingress.ip_mode = "Proxy";
  }
  return all;
}

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

Status left_alone_by_annotation() {
  return Status(
      Code::implemented_elsewhere,
      "the Service's load balancer is disowned by annotation " + std::string(annotation::kDisown));
}

Result<LoadBalancerOperations::Subject> LoadBalancerOperations::read_subject(
    LoadBalancerService service) const {
  Subject subject;
  subject.annotations = read_annotations(service.object);
  subject.service = std::move(service);
  auto left_alone = disowned(host_.config, subject.service.namespace_name, subject.annotations);
  if (!left_alone.ok()) return left_alone.status();
  if (*left_alone) return left_alone_by_annotation();
  auto traits = read_traits(subject.service, subject.annotations, api_.settings());
  if (!traits.ok()) return traits.status();
  subject.traits = *std::move(traits);
  return subject;
}

Result<std::string> LoadBalancerOperations::name(const LoadBalancerService& service) const {
  const Annotations annotations = read_annotations(service.object);
  const std::string_view chosen = annotations.text(annotation::kName);
  return chosen.empty() ? service.default_name : std::string(chosen);
}

Result<LoadBalancer> LoadBalancerOperations::answer(const Subject& subject,
                                                    const ExistingLoadBalancer& balancer,
                                                    const std::string& renewed_certificate_id,
                                                    std::string difference) {
  LoadBalancer result;
  result.id = balancer.id;
  result.name = balancer.name;
  result.difference = std::move(difference);
  result.annotations.push_back({std::string(annotation::kType), balancer.type});  // DO-97
  if (!renewed_certificate_id.empty()) {
    result.annotations.push_back({std::string(annotation::kCertificateId), renewed_certificate_id});
  }
  if (balancer.in_creation()) {
    result.state = LoadBalancerState::pending;
    return result;
  }
  if (balancer.status != "active") {  // DO-112
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "load-balancer has unexpected status " + go_quoted(balancer.status))
        .with_reason("LoadBalancerErrored");
  }
  result.state = LoadBalancerState::active;
  result.ingress = ingress_of(balancer, subject.traits.hostname);
  return result;
}

// Once for each text: not repeated with every resync.
void LoadBalancerOperations::warn(const Subject& subject,
                                  const std::optional<ExistingLoadBalancer>& existing) {
  std::vector<std::string> texts;
  const Annotations& annotations = subject.annotations;
  const SpellingHelp::Report unknown = annotations.unknown(spelling_);
  if (unknown.others > 0) {  // first, since an Event has room for some of them
    texts.push_back(std::to_string(unknown.named.size() + unknown.others) +
                    " annotations are not known");
  }
  for (const SpellingHelp::Unknown& misspelt : unknown.named) {
    texts.push_back("annotation " + misspelt.name + " is not known" +
                    (misspelt.nearest.empty()
                         ? std::string()
                         : "; did you mean " + std::string(misspelt.nearest) + "?"));
  }
  if (annotations.has(kSourceRangesAnnotation) && !has_source_ranges(subject.service.object)) {
    texts.push_back("annotation " + std::string(kSourceRangesAnnotation) +
                    " has no effect on DigitalOcean: set spec.loadBalancerSourceRanges");
  }
  if (annotations.has(annotation::kAllowRules) && has_source_ranges(subject.service.object)) {
    texts.push_back("annotation " + std::string(annotation::kAllowRules) +
                    " has no effect beside spec.loadBalancerSourceRanges");
  }
  const std::string& space = subject.service.namespace_name;
  if (subject.annotations.has(annotation::kDisown) &&
      !may_retain_load_balancers(host_.config, space)) {
    texts.push_back("annotation " + std::string(annotation::kDisown) +
                    " does not count in the namespace " + space + " (--" + kRetentionFlag + ")");
  }
  if (existing) {
    for (std::string& text : immutable_differences(subject.traits, *existing)) {
      texts.push_back(std::move(text));
    }
  }
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  std::string& last = warned_[subject.service.uid];
  if (!all.empty() && all != last) {
    host_.events.warning(subject.service.object, "LoadBalancerConfigWarning", all);
  }
  last = std::move(all);
}

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
