// One operation that the host runs for a component: it ends exactly once, in [serial], never inside
// the call that started it, and at the latest when its ctx ends.
#pragma once

#include "plugin/live_component.hpp"

#include <ccm/abi/status.h>
#include <ccm/status.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

namespace ccm::plugin {

class HostOperation : public std::enable_shared_from_this<HostOperation> {
 public:
  using Start = std::function<void(const std::shared_ptr<HostOperation>&)>;

  // Posts `start` to the loop. `name` is a literal for the watchdog. Ends it inside the call when
  // the component is gone (null) or just being destroyed, and later when the ctx is not known. Any
  // thread.
  static void begin(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                    ccm_completion done, std::string_view name, Start start);
  // The same, but once it started, the end of its ctx does not end it.
  static void begin_unbound(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                            ccm_completion done, std::string_view name, Start start);

  // Calls the component's completion; later calls have no effect. Loop thread, not inside the
  // component's call.
  void end(const Status& status, const void* result = nullptr);

  // end() was called: work for it can stop.
  [[nodiscard]] bool ended() const { return ended_; }
  // The same as a token: requested inside end(), hence on the loop.
  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] LiveComponent& component() { return *component_; }

 private:
  HostOperation() = default;
  static void begin(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                    ccm_completion done, std::string_view name, Start start, bool bound);
  static std::shared_ptr<HostOperation> make(const std::shared_ptr<LiveComponent>& component,
                                             std::shared_ptr<Context> context, ccm_completion done,
                                             std::string_view name);
  [[nodiscard]] Origin* origin() const;

  std::shared_ptr<LiveComponent> component_;
  std::shared_ptr<Context> context_;
  ccm_completion done_{};
  std::string_view name_;
  uint64_t registration_ = 0;
  bool ended_ = false;
  std::stop_source stop_;
};

}  // namespace ccm::plugin
