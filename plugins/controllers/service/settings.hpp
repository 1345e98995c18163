// The flags of this controller, checked.
#pragma once

#include "adoption.hpp"
#include "classes.hpp"

#include <ccm/config.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace ccm::service {

struct Settings {
  uint32_t workers = 1;
  std::chrono::milliseconds audit_period{0};  // 0 = no audit
  bool exclude_cordoned = false;
  std::string cluster_name;
  ClassTable classes;
  AdoptionRules adoption;
};

// [create]
Result<Settings> read_settings(const Config& config);

}  // namespace ccm::service
