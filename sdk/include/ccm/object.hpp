// ccm::Object: a Kubernetes object as an immutable snapshot of the host. ccm::Value: a place in it.
// Reading copies nothing: texts are views into the snapshot. [any-thread]
#pragma once

#include <ccm/abi/object.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ccm {

using ObjectHost = Service<ccm_host_object>;

enum class ValueKind : int32_t {
  absent = CCM_VALUE_ABSENT,
  null = CCM_VALUE_NULL,
  boolean = CCM_VALUE_BOOLEAN,
  number = CCM_VALUE_NUMBER,
  string = CCM_VALUE_STRING,
  array = CCM_VALUE_ARRAY,
  object = CCM_VALUE_OBJECT,
};

// One member of a JSON pointer, escaped (RFC 6901): annotation keys hold slashes.
inline std::string pointer_segment(std::string_view key) {
  std::string escaped = "/";
  for (const char c : key) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A place within an object, or nothing. Valid as long as the Object that it came from.
class Value {
 public:
  Value() = default;
  Value(ObjectHost host, ccm_value value) : host_(host), value_(value) {}

  [[nodiscard]] ValueKind kind() const {
    const auto fn = value_.object != nullptr ? host_.get(&ccm_host_object::kind) : nullptr;
    const int32_t kind = fn != nullptr ? fn(host_.self(), value_) : CCM_VALUE_ABSENT;
    return kind >= CCM_VALUE_NULL && kind <= CCM_VALUE_OBJECT ? static_cast<ValueKind>(kind)
                                                              : ValueKind::absent;
  }
  [[nodiscard]] bool exists() const { return kind() != ValueKind::absent; }

  // The value at an RFC 6901 pointer from here.
  [[nodiscard]] Value at(std::string_view pointer) const {
    const auto fn = value_.object != nullptr ? host_.get(&ccm_host_object::find_in) : nullptr;
    return fn != nullptr ? Value(host_, fn(host_.self(), value_, c_str(pointer))) : Value();
  }

  // A string's content, or the JSON text of a boolean or number; nothing for all else.
  [[nodiscard]] std::optional<std::string_view> text() const {
    const auto fn = value_.object != nullptr ? host_.get(&ccm_host_object::text) : nullptr;
    ccm_str out{nullptr, 0};
    if (fn == nullptr || fn(host_.self(), value_, &out) == 0) return std::nullopt;
    return view(out);
  }
  // The text at a pointer from here; empty when there is none.
  [[nodiscard]] std::string_view text(std::string_view pointer) const {
    return at(pointer).text().value_or(std::string_view());
  }
  // A whole number; nothing for all else.
  [[nodiscard]] std::optional<int64_t> integer() const {
    const auto digits = kind() == ValueKind::number ? text() : std::nullopt;
    if (!digits) return std::nullopt;
    int64_t number = 0;
    const char* end = digits->data() + digits->size();
    const auto [stop, fault] = std::from_chars(digits->data(), end, number);
    if (fault != std::errc() || stop != end) return std::nullopt;
    return number;
  }
  [[nodiscard]] std::optional<bool> boolean() const {
    if (kind() != ValueKind::boolean) return std::nullopt;
    return text() == std::string_view("true");
  }

  // Whether both have the same content, members in the same order. Two absent values are equal. On
  // a host that does not offer it false: then false means no more than to look.
  [[nodiscard]] bool equals(const Value& other) const {
    if (value_.object == nullptr || other.value_.object == nullptr) {
      return value_.object == other.value_.object;
    }
    const auto fn = host_.get(&ccm_host_object::equal);
    return fn != nullptr && fn(host_.self(), value_, other.value_) != 0;
  }

  // Calls `visit(key, value)` for each element of an array (empty key) or member of an object, in
  // order; a visitor that returns false stops. `visit` must not throw.
  template <typename Visit>
  void each(Visit&& visit) const {
    const auto fn = value_.object != nullptr ? host_.get(&ccm_host_object::each) : nullptr;
    if (fn == nullptr) return;
    struct State {
      const Value& container;
      std::remove_reference_t<Visit>& visit;
    } state{*this, visit};
    fn(
        host_.self(), value_,
        [](void* owner, ccm_str key, ccm_value value) -> ccm_bool {
          auto& given = *static_cast<State*>(owner);
          const Value element(given.container.host_, value);
          if constexpr (std::is_void_v<decltype(given.visit(view(key), element))>) {
            given.visit(view(key), element);
            return 1;
          } else {
            return given.visit(view(key), element) ? 1 : 0;
          }
        },
        &state);
  }

 private:
  ObjectHost host_;
  ccm_value value_{nullptr, 0};
};

// One reference to an object; copies share it. May be empty.
class Object {
 public:
  Object() = default;
  // Takes a reference of its own to `object`, which may be NULL.
  Object(ObjectHost host, const ccm_object* object) : host_(host), object_(object) {
    const auto add = object_ != nullptr ? host_.get(&ccm_host_object::retain) : nullptr;
    if (add != nullptr) add(host_.self(), object_);
  }
  // Takes over the caller's reference.
  static Object adopt(ObjectHost host, const ccm_object* reference) {
    Object object;
    object.host_ = host;
    object.object_ = reference;
    return object;
  }
  // Any JSON text; empty when it is none.
  static Object parse(ObjectHost host, std::string_view json) {
    const auto fn = host.get(&ccm_host_object::parse);
    return fn != nullptr ? adopt(host, fn(host.self(), c_str(json))) : Object();
  }
  Object(const Object& other) : Object(other.host_, other.object_) {}
  Object(Object&& other) noexcept
      : host_(other.host_), object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(host_, other.host_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() {
    const auto release = object_ != nullptr ? host_.get(&ccm_host_object::release) : nullptr;
    if (release != nullptr) release(host_.self(), object_);
  }

  [[nodiscard]] explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] const ccm_object* get() const { return object_; }
  // Whether both are one snapshot, not only equal in content.
  [[nodiscard]] bool same(const Object& other) const { return object_ == other.object_; }

  // The value at an RFC 6901 pointer; "" is the whole object.
  [[nodiscard]] Value at(std::string_view pointer) const {
    const auto fn = object_ != nullptr ? host_.get(&ccm_host_object::find) : nullptr;
    return fn != nullptr ? Value(host_, fn(host_.self(), object_, c_str(pointer))) : Value();
  }
  // The text at a pointer, e.g. text("/spec/providerID"); empty when there is none.
  [[nodiscard]] std::string_view text(std::string_view pointer) const {
    return at(pointer).text().value_or(std::string_view());
  }

  [[nodiscard]] std::string_view name() const { return text("/metadata/name"); }
  [[nodiscard]] std::string_view namespace_name() const { return text("/metadata/namespace"); }
  [[nodiscard]] std::string_view uid() const { return text("/metadata/uid"); }
  [[nodiscard]] std::string_view resource_version() const {
    return text("/metadata/resourceVersion");
  }
  // The resource version as a number, which tells the newer of two states; 0 when it is none.
  [[nodiscard]] uint64_t version() const {
    const std::string_view digits = resource_version();
    uint64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data(), end, number);
    return fault == std::errc() && stop == end ? number : 0;
  }

  // The kept fields as JSON text; rendered once and kept with the snapshot.
  [[nodiscard]] std::string_view json() const {
    const auto fn = object_ != nullptr ? host_.get(&ccm_host_object::json) : nullptr;
    return fn != nullptr ? view(fn(host_.self(), object_)) : std::string_view();
  }

 private:
  ObjectHost host_;
  const ccm_object* object_ = nullptr;
};

}  // namespace ccm
