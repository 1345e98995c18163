#include "json_keys.hpp"

#include "aws/api/error.hpp"

#include <ccm/json_limits.hpp>
#include <ccm/timestamp.hpp>

#include <string>

namespace ccm::aws {
namespace {

constexpr JsonLimits kJsonLimits{64u << 10, 32u << 10, 1'000, 8};

std::string member_of(const Object& object, std::string_view name) {
  const Value value = object.at(pointer_segment(name));
  return value.kind() == ValueKind::string ? std::string(*value.text()) : std::string();
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_expiration(std::string_view text) {
  std::string whole(text.substr(0, text.find('.')));
  if (!whole.empty() && whole.back() != 'Z') whole += 'Z';
  return parse_timestamp(whole);
}

Result<Keys> parse_json_keys(ObjectHost host, std::string_view text, KeysForm form) {
  const bool fits = check_json(text, kJsonLimits).ok();
  const Object document = fits ? Object::parse(host, text) : Object();
  if (!document) return bad_answer("is not a JSON object");
  const std::string code = member_of(document, "Code");
  if (!code.empty() && code != "Success") {
    return Status(Code::unauthenticated, ErrorClass::auth, "no keys: " + one_line(code))
        .with_reason("CloudCredentialRefused");
  }
  const bool process = form == KeysForm::process;
  if (process && document.text("/Version") != "1") return bad_answer("does not say \"Version\": 1");
  Keys keys;
  keys.access_key_id = member_of(document, "AccessKeyId");
  keys.secret_access_key = Secret(member_of(document, "SecretAccessKey"));
  keys.session_token = Secret(member_of(document, process ? "SessionToken" : "Token"));
  if (!keys.complete()) return bad_answer("has no AccessKeyId or SecretAccessKey");
  const std::string end = member_of(document, "Expiration");
  if (end.empty()) return keys;
  const auto expires = parse_expiration(end);
  if (!expires) return bad_answer("has an Expiration that is no time");
  keys.expires_at = *expires;
  return keys;
}

}  // namespace ccm::aws
