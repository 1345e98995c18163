#include "serving/metrics/loop_lag.hpp"

#include "base/metric_families.hpp"

#include <chrono>
#include <utility>

namespace ccm::serving {

namespace {

constexpr std::chrono::milliseconds kPeriod{500};

prometheus::Histogram& lag_histogram(prometheus::Registry& registry) {
  const metrics::Buckets buckets{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60};
  return metrics::histograms(registry, "ccm_event_loop_lag_seconds",
                             "How much later than due the event loop ran a timer.")
      .Add({}, buckets);
}

}  // namespace

LoopLag::LoopLag(const boost::asio::any_io_executor& executor, prometheus::Registry& registry)
    : timer_(executor), seconds_(lag_histogram(registry)) {}

void LoopLag::start() {
  timer_.expires_after(kPeriod);
  measure();
}

void LoopLag::measure() {
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    const auto now = std::chrono::steady_clock::now();
    seconds_.Observe(metrics::seconds(now - timer_.expiry()));
    timer_.expires_at(now + kPeriod);
    measure();
  });
}

}  // namespace ccm::serving
