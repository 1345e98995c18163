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
#include <utility>

namespace ccm::plugin {

class HostOperation : public std::enable_shared_from_this<HostOperation> {
 public:
  using Ptr = std::shared_ptr<HostOperation>;
  using Start = std::function<void(const Ptr&)>;

  // Posts `start` to the loop, unless the request is `wrong`: then the operation ends with that.
  // `name` is a literal for the watchdog. Ends it inside the call when the component is gone (null)
  // or just being destroyed, and later when the ctx is not known. Not `bound`: once it started, the
  // end of its ctx does not end it. Any thread.
  static void begin(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                    ccm_completion done, std::string_view name, Status wrong, Start start,
                    bool bound = true);

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
  HostOperation(std::shared_ptr<LiveComponent> component, std::shared_ptr<Context> context,
                ccm_completion done, std::string_view name)
      : component_(std::move(component)), context_(std::move(context)), done_(done), name_(name) {}
  [[nodiscard]] Origin* origin() const;

  const std::shared_ptr<LiveComponent> component_;
  const std::shared_ptr<Context> context_;
  const ccm_completion done_;
  const std::string_view name_;
  uint64_t registration_ = 0;
  bool ended_ = false;
  std::stop_source stop_;
};

}  // namespace ccm::plugin
