#include "plugin_host/provider_start.hpp"

#include "base/log.hpp"
#include "plugin/await_callback.hpp"
#include "plugin/operations.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using boost::asio::awaitable;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kInitializeTimeout{60'000};
constexpr milliseconds kShutdownTimeout{5'000};
constexpr milliseconds kFirstRetry{1'000};
constexpr milliseconds kLongestRetry{30'000};
constexpr milliseconds kLongestWait{60'000};  // whatever the cloud asks for

}  // namespace

void ProviderStart::connect(std::shared_ptr<LiveComponent> provider) {
  provider_ = std::move(provider);
  if (const auto found = provider_->get_interface(CCM_PROVIDER)) {
    table_ = static_cast<const ccm_provider*>(found->table);
    self_ = found->self;
  }
}

template <typename Request>
awaitable<Status> ProviderStart::call(std::string_view operation, milliseconds timeout,
                                      Function<Request> function) {
  // It learns the cloud's answer.
  auto origin =
      std::make_shared<Origin>(provider_->identity().name, "", CallPriority::load_balancers);
  const auto context = provider_->background()->child(std::nullopt, {}, std::move(origin));
  auto calling = provider_->call<Nothing>(operation, context, timeout, {},
                                          invoke_plain(function, self_), copy_nothing);
  const Result<Nothing> ended = co_await await_task(calls_, std::move(calling));
  co_return ended.status();
}

awaitable<void> ProviderStart::sleep(milliseconds delay) {
  auto start = [this, delay](std::function<void(bool)> done) {
    wake_ = std::move(done);
    sleep_timer_ = timers_.after(delay, [this] { std::exchange(wake_, nullptr)(true); });
  };
  co_await await_callback<bool>(start);
}

void ProviderStart::stop() {
  stopping_ = true;
  if (!wake_) return;
  timers_.cancel(sleep_timer_);
  loop_.post([done = std::exchange(wake_, nullptr)] { done(true); });
}

awaitable<Status> ProviderStart::repeat(std::string message,
                                        std::function<awaitable<Status>()> attempt) {
  milliseconds pause = kFirstRetry;
  while (!stopping_) {
    const Status status = co_await attempt();
    if (status.ok() || status.code() == Code::invalid_argument) co_return status;
    if (stopping_) break;
    const milliseconds wait = std::clamp(status.retry_after(), pause, kLongestWait);
    log::error(message,
               {{"provider", provider_->identity().name}, {"err", status}, {"next", wait}});
    co_await sleep(wait);
    pause = std::min(pause * 2, kLongestRetry);
  }
  co_return Status(Code::cancelled, "the host stops");
}

awaitable<Status> ProviderStart::initialize() {
  const auto function = function_of(table_, &ccm_provider::initialize);
  if (function == nullptr) co_return Status();
  Status status = co_await call<ccm_initialize_request>(known_operation("initialize"),
                                                        kInitializeTimeout, function);
  co_return status;
}

awaitable<Status> ProviderStart::run() {
  Status status;
  if (provider_) {
    std::string message = "Cloud provider could not be initialised, will retry";
    std::function<awaitable<Status>()> attempt = [this] { return initialize(); };
    status = co_await repeat(std::move(message), std::move(attempt));
  } else if (stopping_) {
    status = Status(Code::cancelled, "the host stops");
  }
  ready_ = status.ok();
  co_return status;
}

awaitable<void> ProviderStart::shutdown() {
  const auto shutdown = function_of(table_, &ccm_provider::shutdown);
  if (shutdown == nullptr || !ready_) co_return;
  provider_->allow_only("shutdown");
  const Status status = co_await call<ccm_shutdown_request>("shutdown", kShutdownTimeout, shutdown);
  if (!status.ok()) {
    log::warning("Cloud provider could not log out",
                 {{"provider", provider_->identity().name}, {"err", status}});
  }
}

bool ProviderStart::has_cluster_id() {
  const auto function = function_of(table_, &ccm_provider::has_cluster_id);
  if (function == nullptr) return true;
  bool has = true;
  provider_->call_serial("has_cluster_id", [&] { has = function(self_) != 0; });
  return has;
}

}  // namespace ccm::plugin
