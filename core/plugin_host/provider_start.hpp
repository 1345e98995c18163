// The provider's initialize, which is retried until it succeeds, and its description of itself.
// Loop thread.
#pragma once

#include "plugin/context.hpp"
#include "plugin/live_component.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/provider.h>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin_host {

class ProviderStart {
 public:
  // Both must outlive it.
  ProviderStart(runtime::EventLoop& loop, runtime::Timers& timers)
      : pauses_(plugin::Context::root(loop, timers)) {}

  void connect(std::shared_ptr<plugin::LiveComponent> provider);
  // Runs initialize until it succeeds, with back-off. Returns ok, also without a provider;
  // invalid_argument with the provider's message, which is fatal; or cancelled by stop(). This
  // object outlives it.
  Task<Status> run();
  // Runs `attempt` until it succeeds, with back-off, and logs `message` with each failure. Returns
  // as run() does. With a provider only.
  Task<Status> repeat(std::string message, std::function<Task<Status>()> attempt);
  // No need to wait: it was initialised, or there is no provider.
  [[nodiscard]] bool ready() const { return ready_ || !provider_; }
  // run() has returned ok.
  [[nodiscard]] bool initialised() const { return ready_; }
  // Ends run() at once: no coroutine may outlive the loop.
  void stop() { pauses_->cancel(); }

  // Logs out, if it was initialised; nothing else of the provider may be called afterwards. When
  // all controllers are gone.
  Task<void> shutdown();

  // Whether the provider marks its resources with a cluster id (HOST-9); true when it does not say.
  [[nodiscard]] bool has_cluster_id();

 private:
  template <typename Request>
  using Function = void (*)(void*, ccm_ctx, const Request*, ccm_completion);
  template <typename Request>
  Task<Status> call(std::string_view operation, std::chrono::milliseconds timeout,
                    Function<Request> function);
  Task<Status> initialize();  // one attempt

  const std::shared_ptr<plugin::Context> pauses_;  // ended by stop()
  std::shared_ptr<plugin::LiveComponent> provider_;
  const ccm_provider* table_ = nullptr;  // null: it has nothing to initialise
  void* self_ = nullptr;
  bool ready_ = false;
};

}  // namespace ccm::plugin_host
