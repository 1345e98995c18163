// The Services that get a load balancer from this controller (SVC-7): without a table those without
// a class, as upstream; with a table those whose class is in it, and those without a class when one
// of its classes is the default. Any thread.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

struct LoadBalancerClass {
  std::string name;
  std::vector<Label> parameters;  // for the provider, sorted by key
  bool is_default = false;        // also for Services without spec.loadBalancerClass
};

class ClassTable {
 public:
  ClassTable() = default;  // no table
  // {"classes": [{"name": "example.com/internal", "parameters": {"network": "private"},
  //               "default": true}]}; invalid_argument names the fault.
  static Result<ClassTable> parse(std::string_view text);
  static Result<ClassTable> read_file(const std::string& path);

  // The class of a Service with that spec.loadBalancerClass; nothing = another controller's.
  [[nodiscard]] const LoadBalancerClass* find(const std::optional<std::string>& name) const;

 private:
  std::vector<LoadBalancerClass> classes_{{{}, {}, true}};
};

}  // namespace ccm::service
