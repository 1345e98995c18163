// ccm::Status: how an operation ended, as a value. ccm::Result<T>: that, or a T.
// Any thread. Owns its strings. The C form is ccm/abi/status.h.
#pragma once

#include <ccm/abi/status.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ccm {

enum class Code : int32_t {
  ok = CCM_CODE_OK,
  cancelled = CCM_CODE_CANCELLED,
  unknown = CCM_CODE_UNKNOWN,
  invalid_argument = CCM_CODE_INVALID_ARGUMENT,
  deadline_exceeded = CCM_CODE_DEADLINE_EXCEEDED,
  not_found = CCM_CODE_NOT_FOUND,
  already_exists = CCM_CODE_ALREADY_EXISTS,
  permission_denied = CCM_CODE_PERMISSION_DENIED,
  resource_exhausted = CCM_CODE_RESOURCE_EXHAUSTED,
  failed_precondition = CCM_CODE_FAILED_PRECONDITION,
  aborted = CCM_CODE_ABORTED,
  out_of_range = CCM_CODE_OUT_OF_RANGE,
  unimplemented = CCM_CODE_UNIMPLEMENTED,
  internal = CCM_CODE_INTERNAL,
  unavailable = CCM_CODE_UNAVAILABLE,
  data_loss = CCM_CODE_DATA_LOSS,
  unauthenticated = CCM_CODE_UNAUTHENTICATED,
  implemented_elsewhere = CCM_CODE_IMPLEMENTED_ELSEWHERE,
};

enum class ErrorClass : int32_t {
  none = CCM_CLASS_NONE,
  invalid_spec = CCM_CLASS_INVALID_SPEC,
  auth = CCM_CLASS_AUTH,
  quota = CCM_CLASS_QUOTA,
  conflict = CCM_CLASS_CONFLICT,
  throttled = CCM_CLASS_THROTTLED,
  unavailable = CCM_CLASS_UNAVAILABLE,
  waiting = CCM_CLASS_WAITING,
  not_found = CCM_CLASS_NOT_FOUND,
  unsupported = CCM_CLASS_UNSUPPORTED,
};

// "invalid-spec", "quota", ...: for metrics, pages and texts. Empty for none and for what is no
// class: a plugin may give any number.
inline constexpr std::string_view name_of(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::none:
      break;
    case ErrorClass::invalid_spec:
      return "invalid-spec";
    case ErrorClass::auth:
      return "auth";
    case ErrorClass::quota:
      return "quota";
    case ErrorClass::conflict:
      return "conflict";
    case ErrorClass::throttled:
      return "throttled";
    case ErrorClass::unavailable:
      return "unavailable";
    case ErrorClass::waiting:
      return "waiting";
    case ErrorClass::not_found:
      return "not-found";
    case ErrorClass::unsupported:
      return "unsupported";
  }
  return "";
}

inline constexpr std::string_view view(ccm_str s) {
  return s.ptr == nullptr ? std::string_view{} : std::string_view{s.ptr, s.len};
}
inline constexpr ccm_str c_str(std::string_view s) { return ccm_str{s.data(), s.size()}; }

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  Status(Code code, ErrorClass error_class, std::string message)
      : code_(code), class_(error_class), message_(std::move(message)) {}

  // Copies what a C status says; a NULL pointer means ok.
  static Status from_c(const ccm_status* status) {
    Status result;
    if (status == nullptr) return result;
    result.code_ = static_cast<Code>(status->code);
    result.class_ = static_cast<ErrorClass>(status->error_class);
    result.retry_after_ = std::chrono::milliseconds(status->retry_after_ms);
    result.reason_ = view(status->reason);
    result.message_ = view(status->message);
    return result;
  }

  // OWNERSHIP: the strings borrow from this object.
  [[nodiscard]] ccm_status to_c() const {
    return ccm_status{sizeof(ccm_status),
                      static_cast<int32_t>(code_),
                      static_cast<int32_t>(class_),
                      0,
                      retry_after_.count(),
                      c_str(reason_),
                      c_str(message_)};
  }

  [[nodiscard]] bool ok() const { return code_ == Code::ok; }
  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] ErrorClass error_class() const { return class_; }
  [[nodiscard]] std::chrono::milliseconds retry_after() const { return retry_after_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  // Retrying cannot help until the object itself changes (ccm/abi/status.h, CCM_CLASS_*).
  [[nodiscard]] bool permanent() const {
    return class_ == ErrorClass::invalid_spec || class_ == ErrorClass::quota ||
           class_ == ErrorClass::unsupported;
  }

  Status& with_class(ErrorClass error_class) & { return class_ = error_class, *this; }
  Status&& with_class(ErrorClass error_class) && { return std::move(with_class(error_class)); }
  Status& with_reason(std::string reason) & { return reason_ = std::move(reason), *this; }
  Status&& with_reason(std::string reason) && { return std::move(with_reason(std::move(reason))); }
  Status& with_retry_after(std::chrono::milliseconds delay) & {
    return retry_after_ = delay, *this;
  }
  Status&& with_retry_after(std::chrono::milliseconds delay) && {
    return std::move(with_retry_after(delay));
  }
  // Adds what was being done, outermost first: "patch node worker-1: conflict".
  Status& with_context(std::string_view context) & {
    message_ = std::string(context) + ": " + message_;
    return *this;
  }
  Status&& with_context(std::string_view context) && { return std::move(with_context(context)); }

 private:
  Code code_ = Code::ok;
  ErrorClass class_ = ErrorClass::none;
  std::chrono::milliseconds retry_after_{0};
  std::string reason_;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {  // NOLINT
    if (std::get<1>(state_).ok()) {
      std::get<1>(state_) = Status(Code::internal, "a Result was made from an ok Status");
    }
  }

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only when ok(); else std::bad_variant_access is thrown.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // The failure; a default (ok) Status when ok().
  [[nodiscard]] Status status() const { return ok() ? Status() : std::get<1>(state_); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace ccm
