#include "kube/event_text.hpp"

#include "base/utf8.hpp"
#include "kube/json_text.hpp"
#include "kube/time_text.hpp"

#include <ccm/shown_text.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

namespace ccm::kube {
namespace {

constexpr std::size_t kNameLimit = 253;
constexpr std::size_t kMessageLimit = 1024;

// RFC 1123 subdomain.
bool is_subdomain(std::string_view text) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || text.size() > kNameLimit) return false;
  char before = '.';
  for (const char c : text) {
    if (c == '.' ? !alphanumeric(before) : !(alphanumeric(c) || (c == '-' && before != '.'))) {
      return false;
    }
    before = c;
  }
  return alphanumeric(before);
}

// The same for the same name, and as good as random for everybody else: text_hash has a secret.
std::string hashed_uuid(const std::string& name) {
  const uint64_t high = text_hash(name);
  const uint64_t low = text_hash(name + '\0');
  std::array<unsigned, 4> parts{
      static_cast<unsigned>(high >> 32), static_cast<unsigned>(high & 0xffffffffu),
      static_cast<unsigned>(low >> 32), static_cast<unsigned>(low & 0xffffffffu)};
  parts[1] = (parts[1] & 0xffff0fffu) | 0x8000u;  // version 8: of hashes of one's own (RFC 9562)
  parts[2] = (parts[2] & 0x3fffffffu) | 0x80000000u;
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%04x%08x", parts[0], parts[1] >> 16,
                parts[1] & 0xffff, parts[2] >> 16, parts[2] & 0xffff, parts[3]);
  return text;
}

}  // namespace

std::string event_namespace(const ObjectReference& about) {
  return about.namespace_name.empty() ? "default" : about.namespace_name;
}

std::string event_name(std::string_view object_name, std::chrono::nanoseconds unix_time) {
  char suffix[24];
  std::snprintf(suffix, sizeof suffix, ".%llx", static_cast<unsigned long long>(unix_time.count()));
  std::string name = std::string(object_name) + suffix;
  return is_subdomain(name) ? name : hashed_uuid(name);
}

std::string event_body(const RawEvent& event, const EventCorrelator::Verdict& verdict,
                       std::string_view component, std::string_view name) {
  const ObjectReference& about = event.about;
  std::string out = R"({"kind":"Event","apiVersion":"v1","metadata":{)";
  append_json_member(out, "name", name);
  append_json_member(out, "namespace", event_namespace(about));
  out += R"(},"involvedObject":{)";
  append_json_member(out, "kind", about.kind);
  append_json_member(out, "apiVersion", about.api_version);
  append_json_member(out, "namespace", about.namespace_name);
  append_json_member(out, "name", about.name);
  append_json_member(out, "uid", about.uid);
  append_json_member(out, "resourceVersion", about.resource_version);
  out += '}';
  append_json_member(out, "reason", event.reason);
  append_json_member(out, "message", utf8_front(shown_text(verdict.message), kMessageLimit));
  append_json_member(out, "type", type_text(event.type));
  out += R"(,"source":{)";
  append_json_member(out, "component", component);
  out += '}';
  append_json_member(out, "reportingComponent", component);
  out += R"(,"reportingInstance":"","eventTime":null)";
  append_json_member(out, "firstTimestamp", format_time(verdict.first_time));
  append_json_member(out, "lastTimestamp", format_time(event.time));
  return out + R"(,"count":)" + std::to_string(verdict.count) + "}";
}

std::string event_patch(const RawEvent& event, const EventCorrelator::Verdict& verdict) {
  std::string out = R"({"count":)" + std::to_string(verdict.count);
  append_json_member(out, "lastTimestamp", format_time(event.time));
  append_json_member(out, "message", utf8_front(shown_text(verdict.message), kMessageLimit));
  return out + "}";
}

}  // namespace ccm::kube
