#include "plugin/known_secrets.hpp"

#include "plugin/recording/http_recording.hpp"

#include <algorithm>

namespace ccm::plugin {

void KnownSecrets::learn(std::string_view secret) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kMost = 16;
  if (secret.size() < kShortest || secret.find("Signature=") != std::string_view::npos) return;
  const std::lock_guard lock(mutex_);
  const auto known = std::find(secrets_.begin(), secrets_.end(), secret);
  if (known != secrets_.end()) {
    std::rotate(known, known + 1, secrets_.end());
    return;
  }
  if (secrets_.size() == kMost) secrets_.pop_front();
  secrets_.emplace_back(secret);
  forms_ = std::make_shared<const SecretForms>(
      std::vector<std::string>(secrets_.begin(), secrets_.end()));
}

void KnownSecrets::learn(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) learn(secret);
}

std::shared_ptr<const SecretForms> KnownSecrets::forms() const {
  const std::lock_guard lock(mutex_);
  return forms_;
}

std::string KnownSecrets::without(std::string_view text) const {
  const auto known = forms();
  return known ? known->without(text) : std::string(text);
}

Status KnownSecrets::without(const Status& status) const {
  return Status(status.code(), status.error_class(), without(status.message()))
      .with_reason(status.reason())
      .with_retry_after(status.retry_after());
}

}  // namespace ccm::plugin
