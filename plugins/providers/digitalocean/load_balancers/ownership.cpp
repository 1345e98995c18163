#include "ownership.hpp"

#include "digitalocean/droplet.hpp"
#include "digitalocean/load_balancers/annotations.hpp"

#include <ccm/asked_address.hpp>
#include <ccm/lower_case.hpp>
#include <ccm/timestamp.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

namespace ccm::digitalocean {
namespace {

constexpr size_t kNameLength = 32;
constexpr std::chrono::minutes kClocksDiffer{1};  // the API server's and DigitalOcean's
constexpr std::string_view kClusterPrefix = "k8s:";
constexpr std::string_view kServicePart = ":service:";

// The older one has precedence; the UID decides between two of one second.
auto age(const Object& service) {
  return std::make_tuple(std::string(service.text("/metadata/creationTimestamp")),
                         std::string(service.uid()));
}

bool has_address(const ExistingLoadBalancer& balancer, std::string_view address) {
  return !address.empty() && (address == balancer.ip || address == balancer.ipv6);
}

}  // namespace

std::string uid_name(std::string_view service_uid) {
  std::string name = "a";
  for (const char c : service_uid) {
    if (c != '-') name += c;
  }
  return name.substr(0, kNameLength);
}

bool is_uid_name(std::string_view name) {
  return name.size() == kNameLength && name.front() == 'a' &&
         std::all_of(name.begin() + 1, name.end(),
                     [](unsigned char c) { return std::isdigit(c) || (c >= 'a' && c <= 'f'); });
}

std::optional<std::string_view> marked_service(std::string_view tag) {
  const size_t place = tag.find(kServicePart);
  if (!tag.starts_with(kClusterPrefix) || place == std::string_view::npos) return std::nullopt;
  tag.remove_prefix(place + kServicePart.size());
  return tag.substr(0, tag.find(':'));
}

std::string marked_name(std::string_view tag) {
  const auto uid = marked_service(tag);
  if (!uid) return {};
  tag.remove_prefix(static_cast<size_t>(uid->data() - tag.data()) + uid->size());
  if (!tag.starts_with(':')) return {};
  tag.remove_prefix(1);
  const size_t colon = tag.find(':');
  if (colon == std::string_view::npos) return {};
  return std::string(tag.substr(0, colon)) + "/" + std::string(tag.substr(colon + 1));
}

std::string foreign_cluster_tag(const ExistingLoadBalancer& balancer, std::string_view ours) {
  if (!balancer.tags || ours.empty()) return {};
  std::string foreign;
  for (const std::string& tag : *balancer.tags) {
    if (tag == ours) return {};
    if (tag.starts_with(kClusterPrefix) && !marked_service(tag)) foreign = tag;
  }
  return foreign;
}

Ownership::Claim Ownership::claim_of(const LoadBalancerService& service,
                                     const LoadBalancerListing::Balancers& all) {
  Claim claim{service, service.default_name, {}, {}, {}, false, all};
  if (claim.name.empty()) claim.name = uid_name(service.uid);
  const Annotations annotations = read_annotations(service.object);
  claim.chosen_name = annotations.text(annotation::kName);
  const std::string host_name = lower_case(annotations.text(annotation::kHostname));
  service.object.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& value) {
    const std::string_view address = value.text("/ip");
    if (!address.empty()) {
      (asks_for_address(service, address) ? claim.asked : claim.addresses).emplace_back(address);
    }
    const std::string_view shown = value.text("/hostname");
    claim.host_name = claim.host_name || (!shown.empty() && shown == host_name);
  });
  return claim;
}

std::optional<bool> Ownership::marked(const Claim& claim,
                                      const ExistingLoadBalancer& balancer) const {
  if (!foreign_cluster_tag(balancer, api_.settings().cluster_tag()).empty()) return false;
  bool for_another = false;
  for (const std::string& tag : balancer.tags.value_or(std::vector<std::string>())) {
    const auto named = marked_service(tag);
    if (named == claim.service.uid) return true;
    for_another = for_another || named;
  }
  if (for_another) return false;
  if (balancer.name == claim.name) return true;
  // Another Service's; but a chosen name may look like this, too.
  if (is_uid_name(balancer.name) && balancer.name != claim.chosen_name) return false;
  return std::nullopt;
}

bool Ownership::owns(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  if (const auto answer = marked(claim, balancer)) return *answer;
  const auto known = proven_.find(balancer.id);
  if (known != proven_.end()) return known->second == claim.service.uid;
  if (made_unheard(claim, balancer)) return true;
  return shown_in_status(claim, balancer) && !has_another(claim, balancer);
}

// DigitalOcean's manager made one for each Service.
bool Ownership::has_another(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  return std::any_of(claim.all.begin(), claim.all.end(), [&](const auto& each) {
    if (each.first == balancer.id) return false;
    const auto known = proven_.find(each.first);
    return marked(claim, *each.second)
        .value_or(known != proven_.end() && known->second == claim.service.uid);
  });
}

bool Ownership::proven(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
                       const LoadBalancerListing::Balancers& all) {
  const bool ours = owns(claim_of(service, all), balancer);
  if (ours) remember(service, balancer.id);
  return ours;
}

// It did not exist before: that is checked before one is created. One that was created with its
// mark shows it, if the API shows tags at all.
bool Ownership::made_unheard(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  const auto lost = lost_.find(claim.service.uid);
  if (lost == lost_.end() || lost->second.name != balancer.name) return false;
  return !lost->second.marked || !balancer.tags;
}

bool Ownership::shown_in_status(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  const auto shows = [&](const std::string& each) { return has_address(balancer, each); };
  bool shown = std::any_of(claim.addresses.begin(), claim.addresses.end(), shows);
  // Addresses of a VPC are not unique.
  if (shown && balancer.network == kInternal) shown = reaches_nodes(balancer);
  const bool echoed = !shown && std::any_of(claim.asked.begin(), claim.asked.end(), shows) &&
                      reaches_nodes(balancer) && !other_shows_it(claim, balancer);
  const bool served = !shown && !echoed && claim.host_name && claim.service.id == balancer.id &&
                      serves_only(claim, balancer);
  return (shown || echoed || served) && !older_one_shows_it(claim, balancer);
}

// DigitalOcean's manager let several Services have one load balancer (DO-105).
bool Ownership::older_one_shows_it(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  const auto own_age = age(claim.service.object);
  bool found = false;
  host_.kube.cached_each("v1/services", {}, [&](const Object& other) {
    if (other.uid() == claim.service.uid || age(other) > own_age) return true;
    if (read_annotations(other).text(annotation::kLoadBalancerId) != balancer.id) return true;
    other.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& value) {
      found = found || has_address(balancer, value.text("/ip"));
    });
    return !found;
  });
  return found;
}

bool Ownership::other_shows_it(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  bool found = false;
  host_.kube.cached_each("v1/services", {}, [&](const Object& other) {
    if (other.uid() == claim.service.uid) return true;
    other.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& value) {
      found = found || has_address(balancer, value.text("/ip"));
    });
    return !found;
  });
  return found;
}

// All its forwarding rules lead to node ports on droplets of this cluster. Users may choose node
// ports, but the API server gives each of a protocol to one Service at a time. Those of a Service
// that is gone are free; the one that gets them then is younger than the load balancer.
bool Ownership::serves_only(const Claim& claim, const ExistingLoadBalancer& balancer) const {
  if (balancer.type != kRegional || balancer.forwarding_rules.empty()) return false;
  const auto born = parse_timestamp(claim.service.object.text("/metadata/creationTimestamp"));
  const auto made = parse_timestamp(balancer.created_at);
  if (!born || !made || *born > *made + kClocksDiffer) return false;
  std::set<std::pair<bool, int32_t>> node_ports;  // UDP or not
  for (const ServicePort& port : claim.service.ports) {
    if (port.node_port > 0) node_ports.emplace(port.protocol == "UDP", port.node_port);
  }
  const auto ours = [&](const ForwardingRule& rule) {
    return node_ports.contains({rule.target_protocol == "udp", rule.target_port});
  };
  return std::all_of(balancer.forwarding_rules.begin(), balancer.forwarding_rules.end(), ours) &&
         reaches_nodes(balancer);
}

bool Ownership::reaches_nodes(const ExistingLoadBalancer& balancer) const {
  std::set<int64_t> reached;
  host_.kube.cached_each("v1/nodes", {}, [&](const Object& node) {
    const auto id = droplet_id(node.text("/spec/providerID"));
    if (id.ok() &&
        std::binary_search(balancer.droplet_ids.begin(), balancer.droplet_ids.end(), *id)) {
      reached.insert(*id);
    }
  });
  return reached.size() * 2 > balancer.droplet_ids.size();
}

}  // namespace ccm::digitalocean
