// Must not compile: its backends are no ccm::Backends.
#include <ccm/plugin.hpp>

#include <vector>

struct Provider {
  explicit Provider(ccm::Host&) {}
  ccm::Status ensure_load_balancer(ccm::Ctx, ccm::LoadBalancerService, std::vector<ccm::Backend>);
  ccm::Status delete_load_balancer(ccm::Ctx, ccm::LoadBalancerService);
  ccm::Status initialize(ccm::Ctx);
};

const ccm::ComponentEntry entry = ccm::component<Provider>("test");
