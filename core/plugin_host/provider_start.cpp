#include "plugin_host/provider_start.hpp"

#include "base/log.hpp"
#include "plugin/operations.hpp"
#include "plugin/waiting.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin_host {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kInitializeTimeout{60'000};
constexpr milliseconds kShutdownTimeout{5'000};
constexpr milliseconds kFirstRetry{1'000};
constexpr milliseconds kLongestRetry{30'000};
constexpr milliseconds kLongestWait{60'000};  // whatever the cloud asks for

}  // namespace

void ProviderStart::connect(std::shared_ptr<plugin::LiveComponent> provider) {
  provider_ = std::move(provider);
  if (const auto found = provider_->get_interface(CCM_PROVIDER)) {
    table_ = static_cast<const ccm_provider*>(found->table);
    self_ = found->self;
  }
}

template <typename Request>
Task<Status> ProviderStart::call(std::string_view operation, milliseconds timeout,
                                 Function<Request> function) {
  // It learns the cloud's answer.
  auto origin = std::make_shared<plugin::Origin>(provider_->identity().name, "",
                                                 plugin::CallPriority::load_balancers);
  auto context = provider_->background()->child(std::nullopt, {}, std::move(origin));
  plugin::Invoke invoke = plugin::invoke_plain(function, self_);
  const Result<plugin::Nothing> ended = co_await provider_->call<plugin::Nothing>(
      operation, std::move(context), timeout, plugin::Context::Fields(), std::move(invoke),
      plugin::copy_nothing);
  co_return ended.status();
}

Task<Status> ProviderStart::repeat(std::string message, std::function<Task<Status>()> attempt) {
  milliseconds pause = kFirstRetry;
  while (!pauses_->ended()) {
    const Status status = co_await attempt();
    if (status.ok() || status.code() == Code::invalid_argument) co_return status;
    if (pauses_->ended()) break;
    const milliseconds wait = std::clamp(status.retry_after(), pause, kLongestWait);
    log::error(message,
               {{"provider", provider_->identity().name}, {"err", status}, {"next", wait}});
    co_await plugin::end_of(pauses_->child(wait));
    pause = std::min(pause * 2, kLongestRetry);
  }
  co_return Status(Code::cancelled, "the host stops");
}

Task<Status> ProviderStart::initialize() {
  const auto function = function_of(table_, &ccm_provider::initialize);
  if (function == nullptr) co_return Status();
  co_return co_await call<ccm_initialize_request>(plugin::known_operation("initialize"),
                                                  kInitializeTimeout, function);
}

Task<Status> ProviderStart::run() {
  Status status;
  if (provider_) {
    std::string message = "Cloud provider could not be initialised, will retry";
    std::function<Task<Status>()> attempt = [this] { return initialize(); };
    status = co_await repeat(std::move(message), std::move(attempt));
  } else if (pauses_->ended()) {
    status = Status(Code::cancelled, "the host stops");
  }
  ready_ = status.ok();
  co_return status;
}

Task<void> ProviderStart::shutdown() {
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

}  // namespace ccm::plugin_host
