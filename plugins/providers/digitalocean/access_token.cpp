#include "access_token.hpp"

#include "settings.hpp"

namespace ccm::digitalocean {
namespace {

// A new token may need a moment until all of DigitalOcean knows it.
constexpr std::chrono::milliseconds kTryAgain{60'000};

}  // namespace

Result<std::string> AccessToken::next() {
  auto given = read_token(host_.config);
  if (!given.ok()) {
    if (good_.empty()) return given.status();
    return good_;  // a file that is half written
  }
  if (*given == refused_ && host_.timer.now() < try_again_) return good_;
  return given;
}

void AccessToken::taken(const std::string& token) {
  if (token == good_) return;
  if (!good_.empty()) host_.log.info("The new access token is in use");
  good_ = token;
  refused_.clear();
}

bool AccessToken::refused(const std::string& token) {
  if (good_.empty()) return false;
  if (token == good_) {
    good_.clear();  // revoked
    refused_.clear();
    const auto other = read_token(host_.config);
    return other.ok() && *other != token;
  }
  if (refused_ != token) {
    host_.log.warning("DigitalOcean refuses the new access token; the earlier one stays in use");
  }
  refused_ = token;
  try_again_ = host_.timer.now() + kTryAgain;
  return true;
}

}  // namespace ccm::digitalocean
