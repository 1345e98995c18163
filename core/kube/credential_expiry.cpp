#include "kube/credential_expiry.hpp"

#include "kube/file_text.hpp"
#include "kube/object.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::kube {
namespace {

// base64url without padding (RFC 7515), as plain base64.
std::string as_base64(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '-', '+');
  std::replace(result.begin(), result.end(), '_', '/');
  result.append((4 - result.size() % 4) % 4, '=');
  return result;
}

}  // namespace

CredentialExpiry& CredentialExpiry::of_process() {
  static auto& expiry = *new CredentialExpiry;
  return expiry;
}

void CredentialExpiry::set(const void* holder, std::vector<Entry> entries) {
  const std::lock_guard lock(mutex_);
  if (entries.empty()) {
    entries_.erase(holder);
  } else {
    entries_[holder] = std::move(entries);
  }
}

std::vector<CredentialExpiry::Entry> CredentialExpiry::all() const {
  std::map<std::pair<std::string, std::string>, TimePoint> first;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [holder, entries] : entries_) {
      for (const Entry& entry : entries) {
        const auto [place, fresh] =
            first.try_emplace({entry.credential, entry.kind}, entry.expires);
        if (!fresh) place->second = std::min(place->second, entry.expires);
      }
    }
  }
  std::vector<Entry> result;
  result.reserve(first.size());
  for (const auto& [name, expires] : first) result.push_back({name.first, name.second, expires});
  return result;
}

std::optional<CredentialExpiry::TimePoint> token_expiry(std::string_view token) {
  const std::size_t begin = token.find('.');
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = token.find('.', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const auto claims = base64_decode(as_base64(token.substr(begin + 1, end - begin - 1)));
  if (!claims) return std::nullopt;
  const auto decoded = Object::decode(*claims);
  if (!decoded.ok()) return std::nullopt;
  const std::string_view text = (*decoded)->text_at("/exp");
  int64_t seconds = 0;  // a fraction is cut off
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr int64_t kFarthest = 253'402'300'799;  // the end of the year 9999
  if (fault != std::errc() || seconds <= 0 || seconds > kFarthest) return std::nullopt;
  return CredentialExpiry::TimePoint(std::chrono::seconds(seconds));
}

}  // namespace ccm::kube
