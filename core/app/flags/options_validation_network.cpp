// Checks of --cluster-cidr and of what needs it (HOST-8, HOST-13, TRAP-1).
#include "app/flags/go_values.hpp"
#include "app/flags/options_validation.hpp"

#include <ccm/trim.hpp>

#include <algorithm>

namespace ccm::app {
namespace {

constexpr std::string_view kIpamController = "node-ipam-controller";

void validate_cidrs(const std::string& text, std::vector<std::string>& errors) {
  const std::string flag = "--cluster-cidr=" + text;
  std::size_t families[2] = {0, 0};
  std::size_t count = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, comma - begin);
    begin = comma + 1;
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      errors.push_back(flag + ": \"" + item + "\" is no address range such as 10.244.0.0/16");
      return;
    }
    ++families[cidr->ipv6 ? 1 : 0];
    ++count;
  }
  if (count > 2) {
    errors.push_back(flag + ": at most two ranges are allowed, one for each IP family");
  } else if (families[0] > 1 || families[1] > 1) {
    errors.push_back(flag + ": two ranges must be one of IPv4 and one of IPv6");
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void validate_network(const Options& options, Validation& result) {
  const std::string cidrs(trim(options.kube_cloud_shared.cluster_cidr));
  const bool allocates = options.kube_cloud_shared.allocate_node_cidrs;
  // The flag alone starts no allocator: neither does it with the Go program's defaults, and often
  // kube-controller-manager already runs one.
  if (allocates && !contains(result.enabled, kIpamController)) {
    result.idle.push_back({"--allocate-node-cidrs",
                           "--controllers does not name node-ipam-controller, as "
                           "--controllers=*,node-ipam-controller does"});
  }
  // The route controller checks that routes need it: it knows whether the provider has routes.
  if (!cidrs.empty()) {
    validate_cidrs(cidrs, result.errors);
  } else if (allocates && contains(result.enabled, kIpamController)) {
    result.errors.emplace_back(
        "--allocate-node-cidrs needs --cluster-cidr, the address range to allocate from");
  }
}

}  // namespace ccm::app
