// Cost and results of authentication and authorization (MET-38..42, 48). The server's thread.
#pragma once

#include "kube/client.hpp"
#include "serving/auth/access_reviewer.hpp"
#include "serving/auth/peer_certificates.hpp"
#include "serving/auth/user.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace prometheus {
class Registry;
}

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

}  // namespace ccm::serving
