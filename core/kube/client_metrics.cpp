#include "kube/client_metrics.hpp"

#include "kube/object.hpp"

#include <ccm/base64.hpp>

#include <algorithm>
#include <charconv>

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

ExecPluginCounts& ExecPluginCounts::of_process() {
  static auto& counts = *new ExecPluginCounts;
  return counts;
}

void ExecPluginCounts::called(int code, std::string_view status) {
  const std::lock_guard lock(mutex_);
  ++sums_.calls[{code, std::string(status)}];
}

void ExecPluginCounts::holds(const void* holder, std::optional<TimePoint> expires) {
  const std::lock_guard lock(mutex_);
  if (expires) {
    expiries_[holder] = *expires;
  } else {
    expiries_.erase(holder);
  }
}

void ExecPluginCounts::rotated(std::chrono::seconds age) {
  const auto seconds = static_cast<double>(age.count());
  const auto* const limit = std::lower_bound(kRotationAges.begin(), kRotationAges.end(), seconds);
  const std::lock_guard lock(mutex_);
  ++sums_.ages[static_cast<std::size_t>(limit - kRotationAges.begin())];
  sums_.age_sum += seconds;
}

ExecPluginCounts::Report ExecPluginCounts::report() const {
  const std::lock_guard lock(mutex_);
  Report report = sums_;
  for (const auto& [holder, expires] : expiries_) {
    report.first_expiry = std::min(report.first_expiry.value_or(expires), expires);
  }
  return report;
}

}  // namespace ccm::kube
