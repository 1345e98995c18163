// Cost and results of authentication and authorization (MET-38..42, 47, 48). The server's thread.
#pragma once

#include "base/metric_families.hpp"
#include "kube/client.hpp"
#include "serving/auth/client_certificates.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>

namespace ccm::serving {

class AuthMetrics {
 public:
  // `registry` must outlive it.
  explicit AuthMetrics(prometheus::Registry& registry);

  void authenticated(const Status& status, const User& user, std::chrono::nanoseconds duration);
  // A request from a client with a valid certificate.
  void believed(const PeerCertificates& certificates);
  void authorized(const Result<Verdict>& verdict, std::chrono::nanoseconds duration);

  // For kube::ClientOptions::observer of the clients that send reviews. Valid as long as the
  // registry.
  std::function<void(const kube::CallRecord&)> token_review_observer();
  std::function<void(const kube::CallRecord&)> access_review_observer();

 private:
  // By result.
  struct Attempts {
    void record(const char* result, std::chrono::nanoseconds duration);
    metrics::Counters& total;
    metrics::Histograms& seconds;
  };
  prometheus::Registry& registry_;
  Attempts authentication_;
  metrics::Counters& users_;
  Attempts authorization_;
  prometheus::Histogram& expiration_;
};

// The authentication_token_cache_* metrics: bearer tokens whose owner was remembered, and the
// reviews of the others (MET-47).
struct TokenCacheMetrics {
  // `registry` must outlive it.
  explicit TokenCacheMetrics(prometheus::Registry& registry);

  struct Answers {
    // One that was asked for at `begin`.
    void count(std::chrono::steady_clock::time_point begin) const;
    prometheus::Counter& total;
    prometheus::Histogram& seconds;
  };
  Answers hits;
  Answers misses;
  prometheus::Counter& reviews_answered;
  prometheus::Counter& reviews_failed;
  prometheus::Gauge& reviews_in_flight;
  prometheus::Gauge& blocked;  // requests that wait for a review
};

}  // namespace ccm::serving
