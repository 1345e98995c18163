// The plugin under test, as its manifest describes it. Any thread; plain values.
#pragma once

#include <ccm/abi/plugin.h>

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::conformance {

struct Subject {
  const ccm_plugin* plugin = nullptr;
  std::string component;  // the provider, or else the first controller
  bool has_provider = false;
  std::vector<std::string> controllers;
  std::vector<std::string> interfaces;  // that the manifest lists for it
  std::vector<std::string> prefixes;    // of provider IDs
  std::vector<std::string> needs;       // interfaces of the host
  std::string language;
  std::map<std::string, std::string> flags;               // with their defaults
  std::map<std::string, std::vector<std::string>> reads;  // fields by resource

  static Subject of(const ccm_plugin* plugin);

  nlohmann::json rbac;  // the rights that it declares

  [[nodiscard]] bool lists(std::string_view interface) const;
  [[nodiscard]] bool is_go() const { return language == "go"; }
};

}  // namespace ccm::conformance
