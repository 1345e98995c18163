// Ties the options tree to flags with upstream's names (HOST-8..74).
#pragma once

#include "app/flags/flag_set.hpp"
#include "app/flags/options.hpp"

namespace ccm::app {

// `options` must outlive `flags`; its values are the defaults.
void add_host_flags(FlagSet& flags, Options& options);

// Parts of the above, one for each file.
void add_serving_flags(FlagSet& flags, Options& options);  // options_flags_serving.cpp

// Values of kinds that only one flag has.
std::unique_ptr<FlagValue> feature_gates_value(FeatureGates* gates);
std::unique_ptr<FlagValue> version_value(std::string* variable);
// "none" or "client", and "client" for the flag alone, as kubectl's --dry-run.
std::unique_ptr<FlagValue> dry_run_value(bool* enabled);
// "table" or "json".
std::unique_ptr<FlagValue> dry_run_output_value(bool* json);
// Of bytes: 64Ki.
std::unique_ptr<FlagValue> quantity_value(std::string* variable);
std::unique_ptr<FlagValue> sni_value(std::vector<SniFlag>* certificates);

}  // namespace ccm::app
