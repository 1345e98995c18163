// Ties the options tree to flags with upstream's names (HOST-8..74).
#pragma once

#include "app/flags/flag_set.hpp"
#include "app/flags/options.hpp"

namespace ccm::app {

// `options` must outlive `flags`; its values are the defaults.
void add_host_flags(FlagSet& flags, Options& options);

}  // namespace ccm::app
