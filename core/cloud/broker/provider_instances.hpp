// A provider's ccm.cloud.instances/1 as an InstanceSource. Loop thread.
#pragma once

#include "cloud/broker/instance_source.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "plugin/live_component.hpp"

#include <ccm/abi/instances.h>
#include <ccm/instance_limits.hpp>
#include <ccm/status.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace ccm::plugin {

class ProviderInstances final : public InstanceSource {
 public:
  ProviderInstances(std::shared_ptr<LiveComponent> provider, ccm_interface instances,
                    ProviderTimeouts timeouts = {});
  // The provider has at least one of the three functions.
  [[nodiscard]] bool usable() const { return can_list() || can_describe() || can_get(); }
  [[nodiscard]] bool can_list() const override;
  [[nodiscard]] bool can_describe() const override;
  [[nodiscard]] bool can_get() const override;
  // Asks the provider for its limits, and keeps to its deadlines from then on. All 0 when it has
  // none. `done` as in InstanceSource.
  void ask_limits(std::function<void(Result<InstanceLimits>)> done);
  void set_origin(const std::shared_ptr<Origin>& origin) override;
  void list(Done done) override;
  void describe(std::vector<InstanceQuery> queries, Done done) override;
  void get(InstanceQuery query, Done done) override;

 private:
  const std::shared_ptr<LiveComponent> provider_;
  const ccm_interface interface_;
  const ccm_cloud_instances& table_;
  ProviderTimeouts timeouts_;
  std::shared_ptr<Context> context_;  // of the next call; null = the component's own
};

}  // namespace ccm::plugin
