#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>

namespace sandbox::cloud {

using Json = nlohmann::json;

// Orders "m-2" before "m-10": runs of digits compare as numbers.
struct IdLess {
  using is_transparent = void;
  bool operator()(std::string_view left, std::string_view right) const;
};

// A virtual machine as /v1 shows it; `id` included.
using Machine = Json;
using Machines = std::map<std::string, Machine, IdLess>;

// Checks and completes the user's input. `number` makes generated addresses differ. Throws
// std::invalid_argument naming the wrong member.
Machine complete_machine(const std::string& id, Json given, std::size_t number);

// running, stopped, starting, terminated.
bool known_status(const std::string& status);

}  // namespace sandbox::cloud
