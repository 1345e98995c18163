// The health pages. Pure apart from the checks that run; the server's thread.
#pragma once

#include "serving/health_registry.hpp"
#include "serving/message.hpp"
#include "serving/site.hpp"

#include <memory>
#include <string_view>

namespace ccm::serving {

// `method` and `target` as in the request line. Routes /healthz, /livez and /readyz with ?verbose
// and ?exclude=name (HOST-94), and /healthz/<name> for one check; everything else is 404. Failing
// checks are logged with their reason, which a reader with the right sees too. /readyz?verbose
// shows the registry's notes.
Answer answer_health(std::string_view method, std::string_view target,
                     const HealthRegistry& registry,
                     HealthRegistry::Readers reader = HealthRegistry::Readers::anybody);

// Adds the three pages with one for each check.
void add_health_pages(Site* site, std::shared_ptr<const HealthRegistry> registry);

}  // namespace ccm::serving
