// What the host knows of operations by their names; which of them tell of the cloud's health is in
// cloud/cloud_health.cpp. Values; any thread.
#pragma once

#include <array>
#include <string_view>

namespace ccm::plugin {

// The order of calls when the cloud's call budget runs short: the smaller value goes first.
enum class CallPriority : int { node_init = 0, load_balancers, routes, backends, refresh };

struct Operation {
  std::string_view name;
  // It changes nothing, in the cloud or elsewhere, whatever the plugin.
  bool reads;
  // Its answer is valid for every Node or Service.
  bool shared;
  // It is part of an object's reconcile: a question of this priority unless the work is periodic,
  // whose answer is kept as the cloud's. A dry run withholds it when it changes something.
  bool asks_cloud;
  CallPriority priority = CallPriority::routes;
};

inline constexpr std::array kOperations{
    Operation{"initialize", true, true, false},
    Operation{"http.send", false, false, true},
    Operation{"instances.list", true, true, true, CallPriority::node_init},
    Operation{"instances.describe", true, false, true, CallPriority::node_init},
    Operation{"instances.get", true, false, true, CallPriority::node_init},
    Operation{"instances.limits", true, true, true, CallPriority::node_init},
    Operation{"loadbalancers.name", true, false, true, CallPriority::load_balancers},
    Operation{"loadbalancers.lane", true, false, true, CallPriority::load_balancers},
    Operation{"loadbalancers.observe", true, false, true, CallPriority::load_balancers},
    Operation{"loadbalancers.ensure", false, false, true, CallPriority::load_balancers},
    Operation{"loadbalancers.update_backends", false, false, true, CallPriority::backends},
    Operation{"loadbalancers.delete", false, false, true, CallPriority::load_balancers},
    Operation{"loadbalancers.limits", true, true, true, CallPriority::load_balancers},
    Operation{"routes.list", true, true, true},
    Operation{"routes.apply", false, false, true},
    Operation{"routes.limits", true, true, true},
    Operation{"owned.list", true, true, false},
    Operation{"owned.remove", false, false, false},
};

// What is known of an operation; any that is not in the table may change something.
constexpr Operation operation_of(std::string_view name) {
  for (const Operation& known : kOperations) {
    if (known.name == name) return known;
  }
  return {name, false, false, false};
}

// The name of an operation in the table; any other does not compile.
consteval std::string_view known_operation(std::string_view name) {
  for (const Operation& known : kOperations) {
    if (known.name == name) return known.name;
  }
  throw "no such operation in kOperations";
}

}  // namespace ccm::plugin
