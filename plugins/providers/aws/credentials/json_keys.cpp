#include "json_keys.hpp"

#include "aws/api/error.hpp"

#include <ccm/json_limits.hpp>
#include <ccm/timestamp.hpp>

#include <algorithm>
#include <string>

namespace ccm::aws {
namespace {

constexpr JsonLimits kJsonLimits{64u << 10, 32u << 10, 1'000, 8};

std::string member_of(const Object& object, std::string_view name) {
  const Value value = object.at(pointer_segment(name));
  return value.kind() == ValueKind::string ? std::string(*value.text()) : std::string();
}

// What "+02:00" is ahead of UTC.
std::optional<std::chrono::milliseconds> offset_of(std::string_view text) {
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[4] > '5') return std::nullopt;
  const auto ahead = parse_timestamp("1970-01-01T" + std::string(text.substr(1)) + ":00Z");
  if (!ahead || *ahead >= std::chrono::hours(24)) return std::nullopt;
  return text[0] == '-' ? -*ahead : *ahead;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_expiration(std::string_view text) {
  constexpr size_t kSeconds = std::string_view("2026-11-27T09:30:00").size();
  const auto local = parse_timestamp(std::string(text.substr(0, kSeconds)) + "Z");
  if (!local) return std::nullopt;
  text.remove_prefix(kSeconds);
  if (text.starts_with('.')) {
    const size_t digits = std::min(text.find_first_not_of("0123456789", 1), text.size());
    if (digits == 1) return std::nullopt;
    text.remove_prefix(digits);
  }
  if (text.empty() || text == "Z") return local;
  const auto offset = offset_of(text);
  if (!offset) return std::nullopt;
  return *local - *offset;
}

Result<Keys> parse_json_keys(ObjectHost host, std::string_view text, KeysForm form) {
  const bool fits = check_json(text, kJsonLimits).ok();
  const Object document = fits ? Object::parse(host, text) : Object();
  if (!document) return bad_answer("is not a JSON object");
  const bool process = form == KeysForm::process;
  const std::string code = process ? std::string() : member_of(document, "Code");
  if (!code.empty() && code != "Success") {
    return Status(Code::unauthenticated, ErrorClass::auth, "no keys: " + one_line(code))
        .with_reason("CloudCredentialRefused");
  }
  if (process && document.text("/Version") != "1") return bad_answer("does not say \"Version\": 1");
  Keys keys;
  keys.access_key_id = member_of(document, "AccessKeyId");
  keys.secret_access_key = Secret(member_of(document, "SecretAccessKey"));
  keys.session_token = Secret(member_of(document, process ? "SessionToken" : "Token"));
  if (!keys.complete()) return bad_answer("has no AccessKeyId or SecretAccessKey");
  const Value end = document.at("/Expiration");
  if (end.kind() == ValueKind::absent || end.kind() == ValueKind::null) return keys;
  const auto expires = parse_expiration(member_of(document, "Expiration"));
  if (!expires) return bad_answer("has an Expiration that is no time");
  keys.expires_at = *expires;
  return keys;
}

}  // namespace ccm::aws
