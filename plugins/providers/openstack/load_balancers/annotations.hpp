// Annotations of a Service that choose how its load balancer is (OS-196..OS-215). Any thread.
#pragma once

#include "openstack/annotation_names.hpp"

#include <ccm/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

class Annotations {
 public:
  explicit Annotations(const Object& service) : service_(service) {}

  // An empty text counts as given, as it does in the Go manager.
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  // Values that cannot be read leave the fallback and are problems.
  bool boolean(std::string_view name, bool fallback);
  int64_t integer(std::string_view name, int64_t fallback, int64_t least, int64_t most);
  // Notes that a value was not followed.
  void not_followed(std::string_view name, const std::string& why);

  // "loadbalancer.openstack.org/connection-limit: \"many\" is no number from -1 to 2147483647".
  [[nodiscard]] std::vector<std::string> problems() && { return std::move(problems_); }

 private:
  const Object& service_;
  std::vector<std::string> problems_;
};

}  // namespace ccm::openstack
