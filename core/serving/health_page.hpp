// What the server answers to which request: health texts, 404 and 405. Pure apart from the checks
// that it runs; the server's thread.
#pragma once

#include "serving/health_registry.hpp"

#include <string>
#include <string_view>

namespace ccm::serving {

struct Answer {
  unsigned status = 200;
  std::string body;
  std::string_view allow;  // the Allow header of a 405, else empty
};

// `method` and `target` as in the request line. Routes /healthz, /livez and /readyz with ?verbose
// and ?exclude=name (HOST-94), and /healthz/<name> for one check; everything else is 404 until
// there is authentication. Failing checks go to the log with their reason.
Answer answer_request(std::string_view method, std::string_view target,
                      const HealthRegistry& registry);

}  // namespace ccm::serving
