// The flags of secure serving (HOST-51..61) as the endpoint's options.
#pragma once

#include "app/options.hpp"
#include "serving/secure_server.hpp"

namespace ccm::app {

// `options` passed validation, so nothing can fail here any more.
serving::ServingOptions serving_options(const SecureServingOptions& options);

}  // namespace ccm::app
