// What all parts of this controller share. It outlives them. [serial]
#pragma once

#include "settings.hpp"

#include <ccm/host.hpp>

namespace ccm::service {

struct Context {
  Host& host;
  const Events events;  // from "service-controller" (SVC-5)
  Settings settings;    // from setup on
};

}  // namespace ccm::service
