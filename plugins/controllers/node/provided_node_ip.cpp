#include "provided_node_ip.hpp"

#include "names.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace ccm::node {
namespace {

Status wrong(std::string_view annotation, const std::string& what) {
  return Status(Code::failed_precondition, "the annotation " + std::string(kProvidedNodeIp) +
                                               "=\"" + std::string(annotation) + "\" " + what)
      .with_reason("InvalidProvidedNodeIP");
}

}  // namespace

Result<std::vector<IpAddress>> parse_provided_node_ip(std::string_view annotation) {
  std::vector<IpAddress> addresses;
  std::string_view rest = annotation;
  while (true) {
    const size_t comma = rest.find(',');
    const auto address = parse_ip(rest.substr(0, comma));
    if (!address) return wrong(annotation, "has a value that is not an IP address");
    addresses.push_back(*address);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (addresses.size() > 2) return wrong(annotation, "holds more than two addresses");
  if (addresses.size() == 2) {
    if (addresses[0].v6 == addresses[1].v6) {
      return wrong(annotation, "holds two addresses of one family");
    }
    if (addresses[0].unspecified() || addresses[1].unspecified()) {
      return wrong(annotation, "holds an unspecified address in a pair");
    }
  }
  return addresses;
}

Result<std::vector<NodeAddress>> pin_addresses(const std::vector<NodeAddress>& addresses,
                                               std::string_view annotation) {
  const auto wanted = parse_provided_node_ip(annotation);
  if (!wanted.ok()) return wanted.status();
  std::vector<NodeAddress> pinned;
  std::set<std::string_view> enforced;
  for (const IpAddress& ip : *wanted) {
    const size_t before = pinned.size();
    for (const NodeAddress& entry : addresses) {
      if (parse_ip(entry.address) != ip) continue;
      pinned.push_back(entry);
      enforced.insert(entry.type);
    }
    if (pinned.size() == before) {
      return wrong(annotation, "names an address that the cloud does not give the instance");
    }
  }
  for (const NodeAddress& entry : addresses) {
    if (!enforced.contains(entry.type)) pinned.push_back(entry);
  }
  return pinned;
}

}  // namespace ccm::node
