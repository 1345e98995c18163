// When the certificates and tokens that this process uses expire, for metrics. Any thread.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube {

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

}  // namespace ccm::kube
