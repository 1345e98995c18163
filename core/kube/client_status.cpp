#include "kube/client_status.hpp"

#include "kube/object.hpp"
#include "kube/protobuf_decoder.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace ccm::kube {
namespace {

struct Meaning {
  std::string_view reason;
  unsigned http_status;
  Code code;
  ErrorClass error_class;
};

// By reason first; the first row of an HTTP code is also its default.
constexpr std::array kMeanings = {
    Meaning{"BadRequest", 400, Code::invalid_argument, ErrorClass::invalid_spec},
    Meaning{"Unauthorized", 401, Code::unauthenticated, ErrorClass::auth},
    Meaning{"Forbidden", 403, Code::permission_denied, ErrorClass::auth},
    Meaning{"NotFound", 404, Code::not_found, ErrorClass::not_found},
    Meaning{"MethodNotAllowed", 405, Code::unimplemented, ErrorClass::unsupported},
    Meaning{"NotAcceptable", 406, Code::unimplemented, ErrorClass::unsupported},
    Meaning{"Conflict", 409, Code::aborted, ErrorClass::conflict},
    Meaning{"AlreadyExists", 409, Code::already_exists, ErrorClass::conflict},
    Meaning{"Expired", 410, Code::out_of_range, ErrorClass::none},
    Meaning{"Gone", 410, Code::out_of_range, ErrorClass::none},
    Meaning{"RequestEntityTooLarge", 413, Code::invalid_argument, ErrorClass::invalid_spec},
    Meaning{"UnsupportedMediaType", 415, Code::unimplemented, ErrorClass::unsupported},
    Meaning{"Invalid", 422, Code::invalid_argument, ErrorClass::invalid_spec},
    Meaning{"TooManyRequests", 429, Code::resource_exhausted, ErrorClass::throttled},
    Meaning{"InternalError", 500, Code::unavailable, ErrorClass::unavailable},
    Meaning{"ServiceUnavailable", 503, Code::unavailable, ErrorClass::unavailable},
    Meaning{"Timeout", 504, Code::deadline_exceeded, ErrorClass::unavailable},
    Meaning{"ResourceVersionTooLarge", 504, Code::out_of_range, ErrorClass::none},
    Meaning{"ServerTimeout", 500, Code::unavailable, ErrorClass::unavailable},
};

constexpr std::string_view kTooLarge = "ResourceVersionTooLarge";

// The first one whose `field` has that value.
template <typename Value>
const Meaning* meaning_with(Value Meaning::*field, const Value& value) {
  const auto* const place = std::ranges::find(kMeanings, value, field);
  return place == kMeanings.end() ? nullptr : place;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size() || number < 0) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<int64_t>::max();
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

Status make_status(unsigned http_status, std::string_view reason, std::string message) {
  const Meaning* meaning = meaning_with(&Meaning::reason, reason);
  if (meaning == nullptr) meaning = meaning_with(&Meaning::http_status, http_status);
  Code code = http_status >= 500 ? Code::unavailable : Code::unknown;
  ErrorClass error_class = http_status >= 500 ? ErrorClass::unavailable : ErrorClass::none;
  std::string named(reason);
  if (meaning != nullptr) {
    code = meaning->code;
    error_class = meaning->error_class;
    if (named.empty()) named = meaning->reason;
  }
  // From a proxy in front of the server: an answer all the same, unlike a broken connection.
  if (named.empty()) named = "HTTP" + std::to_string(http_status);
  return Status(code, error_class, std::move(message)).with_reason(std::move(named));
}

// A fault that names a wrong version, in either form that servers use.
bool names_too_large(const Object& object) {
  bool found = false;
  object.each(object.find("/details/causes"), [&](std::string_view, Object::Position cause) {
    found = found || object.text(object.member(cause, "reason")) == kTooLarge ||
            object.text(object.member(cause, "type")) == kTooLarge;
  });
  return found;
}

// The body may be protobuf, in the answer to a list or a watch that asked for it.
std::optional<Status> from_status_object(unsigned http_status, std::string_view body) {
  const auto converted =
      body.starts_with(protobuf::kMagic) ? protobuf::status_json(body) : std::nullopt;
  const Result<ObjectPtr> decoded = Object::decode(converted ? *converted : body);
  if (!decoded.ok() || (*decoded)->text_at("/kind") != "Status") return std::nullopt;
  const Object& object = **decoded;
  if (const auto code = whole_number(object.text_at("/code"));
      code && *code >= 400 && *code < 600) {
    http_status = static_cast<unsigned>(*code);
  }
  std::string message(object.text_at("/message"));
  if (message.empty()) message = "the server answered HTTP " + std::to_string(http_status);
  std::string reason(object.text_at("/reason"));
  if (reason == "Unknown") reason.clear();
  if (names_too_large(object)) reason = kTooLarge;
  Status status = make_status(http_status, reason, std::move(message));
  const auto delay = retry_advice(object.text_at("/details/retryAfterSeconds"));
  if (delay) status.with_retry_after(*delay);
  return status;
}

}  // namespace

// An API server asks for 32 s at most (API-71). A proxy in front of it may ask for a day, during
// which all reconciles would stand still.
std::optional<std::chrono::seconds> retry_advice(std::string_view header) {
  constexpr int64_t kLongest = 60;
  const auto seconds = whole_number(trim(header));
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kLongest));
}

Status status_of_answer(unsigned http_status, std::string_view body,
                        std::string_view retry_after_header) {
  std::optional<Status> status = from_status_object(http_status, body);
  if (!status) {
    status = make_status(
        http_status, {},
        "the server answered HTTP " + std::to_string(http_status) + " without saying more");
  }
  const auto delay = retry_advice(retry_after_header);
  if (delay) status->with_retry_after(*delay);
  return *status;
}

Status status_of_object(std::string_view status_json) {
  std::optional<Status> status = from_status_object(500, status_json);
  if (status) return *status;
  return {Code::unavailable, ErrorClass::unavailable,
          "the server ended the watch with an ERROR event that holds no Status"};
}

bool is_expired(const Status& status) { return status.code() == Code::out_of_range; }

}  // namespace ccm::kube
