// The Service's side of LoadBalancerOperations: its settings and its Events.
#include "operations.hpp"

#include <ccm/namespace_rules.hpp>

#include <utility>

namespace ccm::digitalocean {
namespace {

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

}  // namespace

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

}  // namespace ccm::digitalocean
