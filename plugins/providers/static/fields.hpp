// Reads the members of one map of the configuration. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::static_provider {

// A fault of the configuration, with its place. It does not leave parse_configuration().
struct ConfigurationFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Fields {
 public:
  // `place`: "nodes[2]"; empty = the whole text. Throws when `value` is no map, or has a member
  // that is not among `known`.
  Fields(const nlohmann::json& value, std::string place, std::initializer_list<std::string> known);

  [[nodiscard]] bool has(const std::string& name) const;
  // These throw when the member is of another type.
  [[nodiscard]] std::string text(const std::string& name) const;           // "" = not there
  [[nodiscard]] std::string required_text(const std::string& name) const;  // never ""
  [[nodiscard]] bool flag(const std::string& name, bool otherwise) const;
  [[nodiscard]] std::vector<nlohmann::json> list(const std::string& name) const;
  [[nodiscard]] nlohmann::json map(const std::string& name) const;

  // "nodes[2].zone"
  [[nodiscard]] std::string place_of(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  const nlohmann::json& value_;
  std::string place_;
};

// "nodes[2]"
std::string place_of_item(const std::string& list, std::size_t index);

}  // namespace ccm::static_provider
