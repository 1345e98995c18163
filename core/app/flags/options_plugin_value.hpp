// The value of a flag that a plugin brings, with the limits that its manifest gives.
#pragma once

#include "app/flags/flag_value.hpp"
#include "plugin_files/manifest.hpp"

#include <memory>

namespace ccm::app {

// FlagValue::type() of such a flag: "string", "bool", "int", "duration", "strings".
std::string_view flag_type(plugin::OptionType type);

// Starts with the option's default.
std::unique_ptr<FlagValue> plugin_value(const plugin::Option& option);

}  // namespace ccm::app
