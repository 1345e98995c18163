// The token for calls: the file's present one, or the last that DigitalOcean took while it refuses
// that. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <string>

namespace ccm::digitalocean {

class AccessToken {
 public:
  explicit AccessToken(Host& host) : host_(host) {}

  // Failure: invalid_argument when there is none.
  Result<std::string> next();
  // DigitalOcean answered a call with this token.
  void taken(const std::string& token);
  // It refused it (401), before it did anything. True: next() has another one.
  bool refused(const std::string& token);

 private:
  Host& host_;
  std::string good_;     // the last that was taken
  std::string refused_;  // the file's, while good_ is used instead
  std::chrono::milliseconds try_again_{0};
};

}  // namespace ccm::digitalocean
