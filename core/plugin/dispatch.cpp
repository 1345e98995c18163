#include "plugin/dispatch.hpp"

#include "base/utf8.hpp"
#include "plugin/bounded.hpp"

#include <ccm/shown_text.hpp>

namespace ccm::plugin {

namespace {

// A message ends up in logs, Events and conditions.
constexpr std::size_t kStatusReasonLimit = 128;
constexpr std::size_t kStatusMessageLimit = 8'192;

bool known_code(int32_t code) {
  return (code >= CCM_CODE_OK && code <= CCM_CODE_UNAUTHENTICATED) ||
         code == CCM_CODE_IMPLEMENTED_ELSEWHERE;
}

bool known_class(int32_t error_class) {
  return error_class >= CCM_CLASS_NONE && error_class <= CCM_CLASS_UNSUPPORTED;
}

}  // namespace

Status checked_status(const ccm_status* given) {
  if (given == nullptr) return {};
  if (!CCM_HAS(given, code)) {
    return Status(Code::internal, "the plugin completed with a status of a wrong size");
  }
  const ccm_status status = known(given);
  const auto code = known_code(status.code) ? static_cast<Code>(status.code) : Code::unknown;
  // A class from the future: nothing is known of the fault.
  const auto error_class = known_class(status.error_class)
                               ? static_cast<ErrorClass>(status.error_class)
                               : ErrorClass::none;
  if (code == Code::ok) return {};
  return Status(code, error_class,
                shown_text(utf8_text(view(status.message).substr(0, kStatusMessageLimit))))
      .with_reason(utf8_text(view(status.reason).substr(0, kStatusReasonLimit)))
      .with_retry_after(bounded(status.retry_after_ms));
}

}  // namespace ccm::plugin
