// Metrics of this process' clients of API servers: transports, the times when their
// credentials expire, and the calls of exec plugins (MET-31..33). Any thread: the Lease has a
// client on another thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::kube {

// A transport is a pool of connections with its credentials.
struct TransportCounts {
  std::atomic<int64_t> present{0};
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> shared{0};  // by a client that was derived from another

  static TransportCounts& of_process() {
    static TransportCounts counts;
    return counts;
  }
};

// When the certificates and tokens that this process uses expire.
class CredentialExpiry {
 public:
  using TimePoint = std::chrono::system_clock::time_point;
  struct Entry {
    std::string credential;  // "kubeconfig /etc/ccm/kubeconfig", a file
    std::string kind;  // client-certificate, token, certificate-authority, serving-certificate
    TimePoint expires;
  };

  static CredentialExpiry& of_process();

  // `holder` uses these from now on, instead of what it used before; none: it ends.
  void set(const void* holder, std::vector<Entry> entries);

  // For each credential and kind the one that expires first.
  [[nodiscard]] std::vector<Entry> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::vector<Entry>> entries_;
};

// The claim "exp" of a JSON Web Token, such as a service account's; none for any other token. The
// signature is not looked at.
std::optional<CredentialExpiry::TimePoint> token_expiry(std::string_view token);

// The calls of exec plugins and the life of their certificates (MET-31..33).
class ExecPluginCounts {
 public:
  using TimePoint = std::chrono::system_clock::time_point;
  // Upper limits in seconds: 10 and 30 min; 1 and 4 h; 1, 7, 30, 90, 180 and 360 d; 4 a.
  static constexpr std::array<double, 11> kRotationAges{
      600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000};

  static ExecPluginCounts& of_process();

  // One run of a plugin with its exit code and upstream's word for how it went.
  void called(int code, std::string_view status);
  // `holder` uses a certificate that expires then; none: it has none, or ends.
  void holds(const void* holder, std::optional<TimePoint> expires);
  // A certificate of that age was replaced.
  void rotated(std::chrono::seconds age);

  struct Report {
    std::map<std::pair<int, std::string>, uint64_t> calls;  // by exit code and status
    std::optional<TimePoint> first_expiry;
    std::array<uint64_t, kRotationAges.size() + 1> ages{};  // counts of each bucket, +Inf last
    double age_sum = 0;
  };
  [[nodiscard]] Report report() const;

 private:
  mutable std::mutex mutex_;
  Report sums_;
  std::map<const void*, TimePoint> expiries_;
};

}  // namespace ccm::kube
