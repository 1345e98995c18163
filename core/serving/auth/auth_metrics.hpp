// Cost and results of authentication and authorization (MET-38..42, 48). The server's thread.
#pragma once

#include "kube/client.hpp"
#include "serving/auth/access_reviewer.hpp"
#include "serving/auth/client_certificates.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace ccm::serving {

class AuthMetrics {
 public:
  // `registry` must outlive it.
  explicit AuthMetrics(prometheus::Registry& registry);
  ~AuthMetrics();

  void authenticated(const Status& status, const User& user, std::chrono::nanoseconds duration);
  // A request from a client with a valid certificate.
  void believed(const PeerCertificates& certificates);
  void authorized(const Result<Verdict>& verdict, std::chrono::nanoseconds duration);

  // For kube::ClientOptions::observer of the clients that send reviews. Valid as long as this.
  std::function<void(const kube::CallRecord&)> token_review_observer();
  std::function<void(const kube::CallRecord&)> access_review_observer();

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

// The authentication_token_cache_* metrics: cache hits, and the reviews for misses (MET-47). The
// server's thread.
class TokenCacheMetrics {
 public:
  // `registry` must outlive it.
  explicit TokenCacheMetrics(prometheus::Registry& registry);

  // One look-up of a token's user. Look-ups destroyed with the loop are not counted: the counters
  // may be destroyed by then.
  class Question {
   public:
    explicit Question(TokenCacheMetrics& metrics)
        : metrics_(metrics), begin_(std::chrono::steady_clock::now()) {}

    void remembered();     // a cache hit; the end
    void waits();          // for a review, its own or another question's
    void review_begins();  // its own
    void review_ends(bool answered);
    void answered();  // the review has ended, and so does this

   private:
    TokenCacheMetrics& metrics_;
    std::chrono::steady_clock::time_point begin_;
  };

 private:
  struct Requests {
    void count(std::chrono::steady_clock::time_point begin) const;
    prometheus::Counter& total;
    prometheus::Histogram& seconds;
  };
  Requests hits_;
  Requests misses_;
  prometheus::Counter& answered_;
  prometheus::Counter& failed_;
  prometheus::Gauge& in_flight_;
  prometheus::Gauge& blocked_;
};

}  // namespace ccm::serving
