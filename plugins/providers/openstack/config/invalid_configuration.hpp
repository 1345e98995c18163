// The report of a wrong value of the configuration.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <utility>

namespace ccm::openstack {

inline Status invalid_configuration(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
      .with_reason("InvalidConfiguration");
}

}  // namespace ccm::openstack
