// One component under a Tap: the host that it sees, and its own tables as the fake host sees them.
#pragma once

#include "tap.hpp"

#include <ccm/sized.hpp>

#include <map>
#include <string>

namespace ccm::conformance {

// A service of the host, as the component has it: `self` of the tap's tables points here.
struct Tapped {
  Tap* tap = nullptr;
  ccm_interface real{nullptr, nullptr};
  const ccm_host* inner = nullptr;

  template <typename Table>
  [[nodiscard]] const Table* table() const {
    return static_cast<const Table*>(real.table);
  }
};

struct Tap::Component {
  explicit Component(Tap& the_tap) : tap(the_tap) {}

  Tap& tap;
  const ccm_host* inner = nullptr;
  ccm_host outer{};
  std::map<std::string, Tapped> services;
  ccm_component real{};
  ccm_interface controller{nullptr, nullptr};
  ccm_controller table{};
  ccm_completion created{nullptr, nullptr, 0};

  ccm_bool get_service(const char* id, ccm_interface* out);
};

// The tap's table for an interface of the host; NULL = the real one is handed out.
const void* tapped_table(std::string_view id);
// The tap's tables for the Kubernetes API and the cloud.
const void* tapped_operations(std::string_view id);

}  // namespace ccm::conformance
