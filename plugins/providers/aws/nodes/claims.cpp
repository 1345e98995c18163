#include "claims.hpp"

#include "provider_id.hpp"

namespace ccm::aws {
namespace {

constexpr const char* kNodes = "v1/nodes";

}  // namespace

Claims::Holders Claims::holders(const Holders& wanted) const {
  Holders found;
  host_.kube.cached_each(kNodes, {}, [&](const Object& node) {
    const auto id = parse_provider_id(std::string(node.text("/spec/providerID")));
    if (id.ok() && wanted.contains(id->instance)) found.emplace(id->instance, node.name());
  });
  for (const auto& [instance, name] : wanted) {
    const auto given = given_.find(instance);
    if (given == given_.end() || found.contains(instance)) continue;
    if (host_.kube.look_up(kNodes, given->second).state == CacheState::found) found.insert(*given);
  }
  return found;
}

}  // namespace ccm::aws
