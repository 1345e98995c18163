#include "nodes.hpp"

#include "openstack/compute/provider_id.hpp"

#include <ccm/object.hpp>

namespace ccm::openstack {
namespace {

std::string normal_range(std::string text) {
  return normal_form({std::move(text), {}}).destination;
}

}  // namespace

RouteNodes::RouteNodes(const Kube& kube) {
  kube.cached_each("v1/nodes", {}, [this](const Object& object) {
    const auto id = parse_provider_id(object.text("/spec/providerID"));
    if (!id.ok()) return;
    object.at("/spec/podCIDRs").each([&](std::string_view, const Value& range) {
      const std::string text(range.text().value_or(std::string_view()));
      ranges_.emplace(normal_range(text), id->server);
    });
  });
}

bool RouteNodes::has_range(const std::string& destination) const {
  const std::string range = normal_range(destination);
  const auto place = ranges_.lower_bound({range, {}});
  return place != ranges_.end() && place->first == range;
}

bool RouteNodes::has(const std::string& destination, const std::string& server) const {
  return !server.empty() && ranges_.contains({normal_range(destination), server});
}

}  // namespace ccm::openstack
