#include "conditions.hpp"

#include "names.hpp"

#include <ccm/shown_text.hpp>
#include <ccm/timestamp.hpp>
#include <ccm/utf8.hpp>

#include <utility>

namespace ccm::service {
namespace {

constexpr size_t kMessageLimit = 1024;

// The reason of a condition is a word; a provider's may be something else.
std::string word(std::string_view reason) {
  std::string text;
  for (const char c : reason) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (!text.empty() && ((c >= '0' && c <= '9') || c == '_'))) text += c;
  }
  return text.empty() ? "Unknown" : text;
}

// A port's error is CamelCase or "domain/Reason"; a condition's reason has no slash.
std::string reason_of(const std::string& error) {
  if (error == kMixedProtocolError) return std::string(kMixedProtocolReason);
  return word(std::string_view(error).substr(error.rfind('/') + 1));
}

}  // namespace

Condition ready(bool holds, std::string_view reason, const std::string& message) {
  return {std::string(kReadyCondition),
          holds,
          word(reason),
          std::string(utf8_front(shown_text(message), kMessageLimit)),
          {}};
}

std::optional<Condition> ports_error(const std::vector<Ingress>& ingress) {
  std::string message;
  std::string reason;
  for (const Ingress& entry : ingress) {
    for (const IngressPort& port : entry.ports) {
      if (port.error.empty()) continue;
      if (reason.empty()) reason = reason_of(port.error);
      message += (message.empty() ? "" : ", ") + std::to_string(port.port) + "/" + port.protocol +
                 ": " + port.error;
    }
  }
  if (reason.empty()) return std::nullopt;
  return Condition{
      std::string(kPortsErrorCondition),
      true,
      std::move(reason),
      std::string(
          utf8_front(shown_text("The cloud does not serve all ports: " + message), kMessageLimit)),
      {}};
}

Difference difference(const Condition* stored, const Condition& wanted) {
  if (stored == nullptr || stored->holds != wanted.holds || stored->reason != wanted.reason) {
    return Difference::reason;
  }
  return stored->message == wanted.message ? Difference::none : Difference::message;
}

Condition timed(const Condition* stored, Condition wanted, std::chrono::milliseconds now) {
  const bool stays = stored != nullptr && stored->holds == wanted.holds;
  wanted.transition = stays && !stored->transition.empty() ? stored->transition : timestamp(now);
  return wanted;
}

}  // namespace ccm::service
