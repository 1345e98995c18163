// ccm.host.leader/1 over the election's state.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/leader.h>

#include <cstdint>
#include <vector>

namespace ccm::plugin {

// The host's view of leadership. Any thread.
class LeaderState {
 public:
  virtual ~LeaderState() = default;
  // Holds the Lease at this moment, by the local clock; true without leader election.
  [[nodiscard]] virtual bool leading() const = 0;
  // The Lease's leaseTransitions when it was taken; 0 without leader election.
  [[nodiscard]] virtual uint64_t transitions() const = 0;
};

class LeaderService final : public HostService {
 public:
  LeaderService(const std::shared_ptr<LiveComponent>& component, const LeaderState& state)
      : HostService(component, CCM_HOST_LEADER, &kTable),
        state_(state),
        timers_(component->runtime().timers) {}
  ~LeaderService() override;

 private:
  static ccm_bool leading(void* self) noexcept;
  static uint64_t transitions(void* self) noexcept;

  static ccm_bool on_change(void* self, ccm_callback callback) noexcept;
  static const ccm_host_leader kTable;
  void check_later();
  void check();

  const LeaderState& state_;
  runtime::Timers& timers_;
  runtime::Timers::Id check_timer_ = 0;
  bool led_ = false;
  std::vector<uint64_t> listeners_;  // callbacks
};

}  // namespace ccm::plugin
