// Annotations of a Service, whose values tenants write (AWS-69, 86, 155, 156). Each reader says in
// one line what is wrong with a value; nothing is half understood. Any thread.
#pragma once

#include "aws/annotation_names.hpp"

#include <ccm/object.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::aws {

inline constexpr std::string_view kAnnotationPrefix =
    "service.beta.kubernetes.io/aws-load-balancer-";

using KeyValues = std::vector<std::pair<std::string, std::string>>;

class Annotations {
 public:
  explicit Annotations(const Object& service) : service_(service) {}

  // Without the blanks around it; nothing when it is absent.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  // The value that text() gives, and "" when it is absent.
  [[nodiscard]] std::string text_or_empty(std::string_view name) const;
  // Items between commas, without blanks around them and without empty ones.
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  // "key=value,key": split at the first "=" of each item; an item without one has an empty value.
  [[nodiscard]] KeyValues pairs(std::string_view name) const;

  // An empty value counts as none. One that cannot be read gives the fallback, and the first such
  // is failure().
  bool boolean(std::string_view name, bool fallback);  // Go's ParseBool
  int64_t integer(std::string_view name, int64_t fallback, int64_t least, int64_t most);
  // What failure() says of a value.
  [[nodiscard]] Status refusal(std::string_view name, std::string_view why) const;
  // Notes that a value is impossible.
  void refuse(std::string_view name, std::string_view why);

  // The annotations of the provider's prefix that are none of `known`, in the Service's order.
  [[nodiscard]] std::vector<std::string> unknown() const;

  // ok, or invalid_spec: "error parsing service annotation: NAME=VALUE: why".
  [[nodiscard]] const Status& failure() const { return failure_; }

 private:
  const Object& service_;
  Status failure_;
};

// At most 64 bytes of a value, for messages.
std::string shown_value(std::string_view value);

}  // namespace ccm::aws
