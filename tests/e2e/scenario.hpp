// A scenario file. docs: tests/scenarios/README.md.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::e2e {

struct Scenario {
  std::filesystem::path file;
  std::vector<std::string> facts;  // IDs of the reference, "NODE-13"
  std::string about;               // one sentence for the reader
  nlohmann::json cloud;            // {machines, generate, loadBalancers, ...}
  nlohmann::json objects;          // list, created before the manager starts
  nlohmann::json files;            // name -> content, in the scenario's folder
  nlohmann::json manager;          // {flags, controllers, arguments, proxy, start}
  nlohmann::json steps;            // list of maps with one key each
};

// Throws std::runtime_error with the file's name for unreadable YAML, an unknown or missing key.
Scenario read_scenario(const std::filesystem::path& file);

// The list of objects of which an entry may be {repeat: N, object: O}: N copies in which "{i}" in
// any string is replaced by 0..N-1.
std::vector<nlohmann::json> expand(const nlohmann::json& list);

// Replaces ${NAME} in every string of value.
nlohmann::json substitute(const nlohmann::json& value,
                          const std::vector<std::pair<std::string, std::string>>& names);

}  // namespace ccm::e2e
