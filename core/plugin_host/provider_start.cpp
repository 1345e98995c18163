#include "plugin_host/provider_start.hpp"

#include "base/log.hpp"
#include "plugin/await_callback.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using boost::asio::awaitable;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kInitializeTimeout{60'000};
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

awaitable<Status> ProviderStart::initialize() {
  auto start = [provider = provider_, self = self_,
                function = table_->initialize](std::function<void(Status)> done) {
    provider->call<Nothing>(
        "initialize", nullptr, kInitializeTimeout, {},
        [function, self](const ccm_ctx* ctx, ccm_completion once) { function(self, ctx, once); },
        copy_nothing, [done = std::move(done)](Result<Nothing> ended) { done(ended.status()); });
  };
  Status status = co_await await_callback<Status>(start);
  co_return status;
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

awaitable<Status> ProviderStart::run() {
  const bool has =
      table_ != nullptr && CCM_HAS(table_, initialize) && table_->initialize != nullptr;
  milliseconds pause = kFirstRetry;
  while (has && !stopping_) {
    const Status status = co_await initialize();
    if (status.ok()) break;
    if (status.code() == Code::invalid_argument) co_return status;
    if (stopping_) break;
    const milliseconds wait = std::clamp(status.retry_after(), pause, kLongestWait);
    log::error("Cloud provider could not be initialised, will retry",
               {{"provider", provider_->identity().name}, {"err", status}, {"next", wait}});
    co_await sleep(wait);
    pause = std::min(pause * 2, kLongestRetry);
  }
  if (stopping_) co_return Status(Code::cancelled, "the host stops");
  ready_ = true;
  co_return Status();
}

bool ProviderStart::has_cluster_id() {
  if (table_ == nullptr || !CCM_HAS(table_, has_cluster_id) || table_->has_cluster_id == nullptr) {
    return true;
  }
  bool has = true;
  provider_->call_serial("has_cluster_id", [&] { has = table_->has_cluster_id(self_); });
  return has;
}

}  // namespace ccm::plugin
