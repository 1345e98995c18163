// The source of the broker's answers: a provider's instances interface, or a test.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "kube/object.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/instances.h>
#include <ccm/instance_limits.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::cloud {

// The instance in question (CLOUD-13), and how young the answer has to be. Sources ignore the
// latter.
struct InstanceQuery {
  std::string name;
  std::string provider_id;  // empty when the Node has none
  kube::ObjectPtr node;     // may be null
  // Earlier answers do not count: they may be about the instance of a former Node.
  runtime::TimePoint not_before{};
  // The answer must not be older either, unless that would cost too many calls; 0 = the broker's
  // choice.
  std::chrono::milliseconds max_age{0};
  std::shared_ptr<plugin::Origin> origin{};  // who asks; may be null
};

// The knowledge about one instance. `status` not ok: nothing, for that reason. Else `snapshot`
// holds it at `index`, or is null: the instance is absent.
struct InstanceAnswer {
  Status status;
  InstanceSnapshot::Ptr snapshot;
  std::size_t index = 0;

  // CCM_INSTANCE_*
  [[nodiscard]] int32_t state() const {
    if (!status.ok()) return CCM_INSTANCE_UNKNOWN;
    return snapshot ? snapshot->state(index) : CCM_INSTANCE_ABSENT;
  }
};

// Loop thread. It outlives its tasks.
class InstanceSource {
 public:
  using Listing = Result<InstanceSnapshot::Ptr>;
  virtual ~InstanceSource() = default;
  [[nodiscard]] virtual bool can_list() const = 0;
  [[nodiscard]] virtual bool can_describe() const = 0;
  [[nodiscard]] virtual bool can_get() const = 0;
  // The origin of the following calls.
  virtual void set_origin(const std::shared_ptr<plugin::Origin>&) {}
  // Every instance, or a failure.
  virtual Task<Listing> list() = 0;
  // Instance i of the result answers queries[i], also where two of them are one instance.
  virtual Task<Listing> describe(std::vector<InstanceQuery> queries) = 0;
  // One instance; not_found of class not_found when it certainly does not exist.
  virtual Task<Listing> get(InstanceQuery query) = 0;
};

// A provider's ccm.cloud.instances/1 as an InstanceSource. Loop thread.
class ProviderInstances final : public InstanceSource {
 public:
  ProviderInstances(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface instances,
                    ProviderTimeouts timeouts = {});
  // The provider has at least one of the three functions.
  [[nodiscard]] bool usable() const { return can_list() || can_describe() || can_get(); }
  [[nodiscard]] bool can_list() const override {
    return function_of(&table_, &ccm_cloud_instances::list) != nullptr;
  }
  [[nodiscard]] bool can_describe() const override {
    return function_of(&table_, &ccm_cloud_instances::describe) != nullptr;
  }
  [[nodiscard]] bool can_get() const override {
    return function_of(&table_, &ccm_cloud_instances::get) != nullptr;
  }
  // Asks the provider for its limits, and keeps to its deadlines from then on. All 0 when it has
  // none.
  Task<Result<InstanceLimits>> limits();
  void set_origin(const std::shared_ptr<plugin::Origin>& origin) override {
    context_ = origin ? provider_->background()->child(std::nullopt, {}, origin) : nullptr;
  }
  Task<Listing> list() override;
  Task<Listing> describe(std::vector<InstanceQuery> queries) override;
  Task<Listing> get(InstanceQuery query) override;

 private:
  const std::shared_ptr<plugin::LiveComponent> provider_;
  const ccm_interface interface_;
  const ccm_cloud_instances& table_;
  ProviderTimeouts timeouts_;
  std::shared_ptr<plugin::Context> context_;  // of the next call; null = the component's own
};

}  // namespace ccm::cloud
