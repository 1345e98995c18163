#include "backends.hpp"

#include "annotations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::digitalocean {
namespace {

enum class Family { none, v4, v6, dual };

bool is_v6(const std::string& address) { return address.find(':') != std::string::npos; }

// DO-206
Family family_of(const Backend& backend, bool private_counts) {
  bool v4 = false;
  bool v6 = false;
  bool private_v4 = false;
  for (const NodeAddress& address : backend.addresses) {
    if (address.address.empty()) continue;
    if (address.type == "ExternalIP") (is_v6(address.address) ? v6 : v4) = true;
    if (address.type == "InternalIP" && !is_v6(address.address)) private_v4 = true;
  }
  if (v4) return v6 ? Family::dual : Family::v4;
  if (v6) return Family::v6;
  return private_counts && private_v4 ? Family::v4 : Family::none;
}

// DO-207
bool counts_private(std::string_view type, std::string_view network) {
  return network == kInternal || type == kRegional;
}

// Nodes come and go, so this is retried although the Service stays the same.
Status no_backends(std::string message) {
  return Status(Code::failed_precondition, ErrorClass::unavailable, std::move(message))
      .with_reason(kConfigError);
}

// DO-215: at most three names.
std::string some_without_ipv6(const Backends& backends, bool private_counts) {
  constexpr size_t kMost = 3;
  std::vector<std::string> names;
  for (const Backend& backend : backends) {
    if (family_of(backend, private_counts) == Family::v4) names.push_back(backend.name);
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) text += " [+" + std::to_string(names.size() - kMost) + " more]";
  return text;
}

std::vector<Backend> copies_of(const std::vector<const Backend*>& some) {
  std::vector<Backend> copies;
  copies.reserve(some.size());
  for (const Backend* backend : some) copies.push_back(*backend);
  return copies;
}

constexpr std::string_view kStackError = "network stack configuration error: ";

}  // namespace

EligibleBackends eligible_backends(const Backends& backends, std::string_view type,
                                   std::string_view network) {
  const bool internal = network == kInternal;
  const bool private_counts = counts_private(type, network);
  EligibleBackends eligible;
  std::vector<const Backend*> reached;
  bool unreachable = false;
  for (const Backend& backend : backends) {
    const Family family = family_of(backend, private_counts);
    if (!internal && (family == Family::none || family == Family::v6)) {  // DO-208, DO-209
      unreachable = unreachable || family == Family::none;
      continue;
    }
    if (family == Family::v4) ++eligible.without_ipv6;
    eligible.any_dual = eligible.any_dual || family == Family::dual;
    reached.push_back(&backend);
  }
  if (!reached.empty()) {
    eligible.backends = reached.size() == backends.size() ? backends : copies_of(reached);
    return eligible;
  }
  if (unreachable && type == kRegionalNetwork) {
    throw SpecError{no_backends(
        "no eligible load balancer backends: REGIONAL_NETWORK EXTERNAL load balancers require at "
        "least one node with a public IPv4 address; no eligible backends found. For private-only "
        "nodes, set " +
        std::string(annotation::kType) + " to \"REGIONAL\" or " +
        std::string(annotation::kNetwork) + " to \"INTERNAL\".")};
  }
  throw SpecError{no_backends("no ready nodes available for load balancer")};
}

std::string network_stack(std::string_view asked, std::string_view type, std::string_view network,
                          const EligibleBackends& backends) {
  if (asked.empty()) {
    if (network == kInternal) return std::string(kIpv4);
    if (type == kRegional) return std::string(kDualStack);
    const bool all_dual = backends.any_dual && backends.without_ipv6 == 0;
    return std::string(all_dual ? kDualStack : kIpv4);
  }
  if (asked != kIpv4 && asked != kDualStack) {
    throw SpecError{config_error("only LB network stacks supported are (IPV4, DUALSTACK)")};
  }
  if (asked == kDualStack && network == kInternal) {
    throw SpecError{
        config_error(std::string(kStackError) +
                     "dual stack networking is not supported for internal load balancer")};
  }
  if (asked == kDualStack && type == kRegionalNetwork && backends.without_ipv6 > 0) {
    throw SpecError{no_backends(
        std::string(kStackError) + "dual-stack networking requested but " +
        std::to_string(backends.without_ipv6) + " nodes lack IPv6 addresses: " +
        some_without_ipv6(backends.backends, counts_private(type, network)) +
        ". REGIONAL_NETWORK load balancers require all nodes to have IPv6 for dual-stack mode")};
  }
  return std::string(asked);
}

}  // namespace ccm::digitalocean
