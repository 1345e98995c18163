// Checks of --cluster-cidr, --additional-pod-cidrs and of what needs them (HOST-8, HOST-13,
// TRAP-1).
#include "app/flags/options_validation.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>

namespace ccm::app {
namespace {

constexpr std::string_view kIpamController = "node-ipam-controller";

void validate_cidrs(const std::string& text, std::vector<std::string>& errors) {
  const std::string flag = "--cluster-cidr=" + text;
  std::size_t families[2] = {0, 0};
  for (const std::string& item : split_cidrs(text)) {
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      errors.push_back(flag + ": \"" + item + "\" is no address range such as 10.244.0.0/16");
      return;
    }
    ++families[cidr->v6 ? 1 : 0];
  }
  if (families[0] + families[1] > 2) {
    errors.push_back(flag + ": at most two ranges are allowed, one for each IP family");
  } else if (families[0] > 1 || families[1] > 1) {
    errors.push_back(flag + ": two ranges must be one of IPv4 and one of IPv6");
  }
}

void validate_additional(const std::string& text, std::vector<std::string>& errors) {
  const std::string flag = "--additional-pod-cidrs=" + text;
  for (const std::string& item : split_cidrs(text)) {
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      errors.push_back(flag + ": \"" + item + "\" is no address range such as 10.245.0.0/16");
    } else if (cidr->prefix == 0) {
      errors.push_back(flag + ": " + item + " permits everything; name the ranges of the Pods");
    }
  }
}

}  // namespace

void validate_network(const Options& options, Validation& result) {
  const std::string cidrs(trim(options.kube_cloud_shared.cluster_cidr));
  const bool allocates = options.kube_cloud_shared.allocate_node_cidrs;
  const auto& enabled = result.enabled;
  validate_additional(options.kube_cloud_shared.additional_pod_cidrs, result.errors);
  const bool has_ipam = std::find(enabled.begin(), enabled.end(), kIpamController) != enabled.end();
  // The flag alone starts no allocator: neither does it with the Go program's defaults, and often
  // kube-controller-manager already runs one.
  if (allocates && !has_ipam) {
    result.idle.push_back({"--allocate-node-cidrs",
                           "--controllers does not name node-ipam-controller, as "
                           "--controllers=*,node-ipam-controller does"});
  }
  // The route controller checks that routes need it: it knows whether the provider has routes.
  if (!cidrs.empty()) {
    validate_cidrs(cidrs, result.errors);
  } else if (allocates && has_ipam) {
    result.errors.emplace_back(
        "--allocate-node-cidrs needs --cluster-cidr, the address range to allocate from");
  }
}

}  // namespace ccm::app
