// The provider's initialize, which is retried until it succeeds, and its description of itself.
// Loop thread.
#pragma once

#include "plugin/live_component.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/provider.h>
#include <ccm/scope.hpp>
#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

class ProviderStart {
 public:
  // The references must outlive it.
  ProviderStart(runtime::EventLoop& loop, runtime::Timers& timers) : loop_(loop), timers_(timers) {}

  void connect(std::shared_ptr<LiveComponent> provider);
  // Runs initialize until it succeeds, with back-off. Returns ok, also without a provider;
  // invalid_argument with the provider's message, which is fatal; or cancelled by stop(). This
  // object outlives it.
  boost::asio::awaitable<Status> run();
  // Runs `attempt` until it succeeds, with back-off, and logs `message` with each failure. Returns
  // as run() does. With a provider only.
  boost::asio::awaitable<Status> repeat(std::string message,
                                        std::function<boost::asio::awaitable<Status>()> attempt);
  // No need to wait: it was initialised, or there is no provider.
  [[nodiscard]] bool ready() const { return ready_ || !provider_; }
  // run() has returned ok.
  [[nodiscard]] bool initialised() const { return ready_; }
  // Ends run() at once: no coroutine may outlive the loop.
  void stop();

  // Logs out, if it was initialised; nothing else of the provider may be called afterwards. When
  // all controllers are gone.
  boost::asio::awaitable<void> shutdown();

  // Whether the provider marks its resources with a cluster id (HOST-9); true when it does not say.
  [[nodiscard]] bool has_cluster_id();

 private:
  template <typename Request>
  using Function = void (*)(void*, ccm_ctx, const Request*, ccm_completion);
  template <typename Request>
  boost::asio::awaitable<Status> call(std::string_view operation, std::chrono::milliseconds timeout,
                                      Function<Request> function);
  boost::asio::awaitable<Status> initialize();  // one attempt
  boost::asio::awaitable<void> sleep(std::chrono::milliseconds delay);

  runtime::EventLoop& loop_;
  runtime::Timers& timers_;
  std::shared_ptr<LiveComponent> provider_;
  const ccm_provider* table_ = nullptr;  // null: it has nothing to initialise
  void* self_ = nullptr;
  std::function<void(bool)> wake_;  // of the only sleeper, run()
  runtime::Timers::Id sleep_timer_ = 0;
  bool ready_ = false;
  bool stopping_ = false;
  Scope calls_;  // last: its coroutines use the others
};

}  // namespace ccm::plugin
