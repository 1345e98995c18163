#include "serving/auth/token_cache_metrics.hpp"

#include "base/metric_families.hpp"

namespace ccm::serving {
namespace {

// Prometheus' own by default.
const metrics::Buckets kTokenBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

prometheus::Counter& token_requests(prometheus::Registry& registry, const char* status) {
  return metrics::counters(registry, "authentication_token_cache_request_total",
                           "Bearer tokens by whether their owner was remembered.")
      .Add({{"status", status}});
}

prometheus::Histogram& token_seconds(prometheus::Registry& registry, const char* status) {
  return metrics::histograms(
             registry, "authentication_token_cache_request_duration_seconds",
             "Time until a bearer token's owner was known, by whether he was remembered.")
      .Add({{"status", status}}, kTokenBuckets);
}

prometheus::Counter& token_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::counters(registry, "authentication_token_cache_fetch_total",
                           "Reviews of bearer tokens by whether they were answered.")
      .Add({{"status", status}});
}

prometheus::Gauge& active_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::gauges(registry, "authentication_token_cache_active_fetch_count",
                         "Reviews of bearer tokens under way (in_flight) and requests that wait "
                         "for them (blocked).")
      .Add({{"status", status}});
}

}  // namespace

TokenCacheMetrics::TokenCacheMetrics(prometheus::Registry& registry)
    : hits_{token_requests(registry, "hit"), token_seconds(registry, "hit")},
      misses_{token_requests(registry, "miss"), token_seconds(registry, "miss")},
      answered_(token_fetches(registry, "ok")),
      failed_(token_fetches(registry, "error")),
      in_flight_(active_fetches(registry, "in_flight")),
      blocked_(active_fetches(registry, "blocked")) {}

void TokenCacheMetrics::Requests::count(std::chrono::steady_clock::time_point begin) const {
  total.Increment();
  seconds.Observe(metrics::seconds(std::chrono::steady_clock::now() - begin));
}

void TokenCacheMetrics::Question::remembered() { metrics_.hits_.count(begin_); }

void TokenCacheMetrics::Question::waits() { metrics_.blocked_.Increment(); }

void TokenCacheMetrics::Question::review_begins() { metrics_.in_flight_.Increment(); }

void TokenCacheMetrics::Question::review_ends(bool answered) {
  metrics_.in_flight_.Decrement();
  (answered ? metrics_.answered_ : metrics_.failed_).Increment();
}

void TokenCacheMetrics::Question::told() {
  metrics_.blocked_.Decrement();
  metrics_.misses_.count(begin_);
}

}  // namespace ccm::serving
