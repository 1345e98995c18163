// Runs initialize and list of a provider in a child process. The caller must have a single thread,
// because it forks.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace ccm::ctl {

struct ProviderTrialOptions {
  std::filesystem::path file;  // absolute
  std::string cloud_command;   // empty = HTTP requests go over the network
  std::optional<std::string> cloud_config;
  std::map<std::string, std::string> flags;
  std::chrono::milliseconds limit{60'000};
};

// "failure": one sentence, empty when both succeeded; "machines": name, providerID, state,
// instanceType, zone, region, addresses and labels of each; "log": the plugin's warnings and
// errors.
nlohmann::ordered_json try_provider(const ProviderTrialOptions& options);

}  // namespace ccm::ctl
