// ccm::Status: how an operation ended, as a value. ccm::Result<T>: that, or a T.
// Any thread. Owns its strings. The C form is ccm/abi/status.h.
#pragma once

#include <ccm/abi/status.h>
#include <ccm/sized.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
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

// How long a failure of class quota waits when it does not say: somebody may raise the limit.
inline constexpr std::chrono::minutes kQuotaRetry{10};

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

  // Copies what a C status says, however much of it there is; a NULL pointer means ok.
  static Status from_c(const ccm_status* status) {
    Status result;
    if (status == nullptr) return result;
    if (!CCM_HAS(status, code)) return Status(Code::internal, "the status is too short");
    const ccm_status raw = known(status);
    result.code_ = static_cast<Code>(raw.code);
    result.class_ = static_cast<ErrorClass>(raw.error_class);
    result.retry_after_ = std::chrono::milliseconds(raw.retry_after_ms);
    result.reason_ = view(raw.reason);
    result.message_ = view(raw.message);
    return result;
  }

  // OWNERSHIP: the strings borrow from this object.
  [[nodiscard]] ccm_status to_c() const {
    ccm_status raw = sized<ccm_status>();
    raw.code = static_cast<int32_t>(code_);
    raw.error_class = static_cast<int32_t>(class_);
    raw.retry_after_ms = retry_after_.count();
    raw.reason = c_str(reason_);
    raw.message = c_str(message_);
    return raw;
  }

  [[nodiscard]] bool ok() const { return code_ == Code::ok; }
  [[nodiscard]] Code code() const { return code_; }
  [[nodiscard]] ErrorClass error_class() const { return class_; }
  [[nodiscard]] std::chrono::milliseconds retry_after() const { return retry_after_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  // Retrying cannot help until the object itself changes (ccm/abi/status.h, CCM_CLASS_*).
  [[nodiscard]] bool permanent() const {
    return class_ == ErrorClass::invalid_spec || class_ == ErrorClass::unsupported;
  }
  // A limit of the account is reached: retrying soon cannot help, but later it may.
  [[nodiscard]] bool over_quota() const { return class_ == ErrorClass::quota; }
  // Either of the two: retrying soon cannot help.
  [[nodiscard]] bool refused() const { return permanent() || over_quota(); }

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

// A T or why there is none. An operation that failed half-way may hand over both (`partial`).
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
  // A failure, and what was made before it: of ensure_load_balancer() and update_load_balancer().
  Result(Status failure, T so_far) : Result(std::move(failure)) {
    partial_.emplace(std::move(so_far));
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
  // The part that was made before the failure; NULL when nothing is said of it, and when ok().
  [[nodiscard]] const T* partial() const { return partial_ ? &*partial_ : nullptr; }

 private:
  std::variant<T, Status> state_;
  std::optional<T> partial_;
};

}  // namespace ccm
