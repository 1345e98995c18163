#include "cloud/settings.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace sandbox::cloud {
namespace {

constexpr std::array<std::pair<const char*, int Settings::*>, 8> kSettings{{
    {"active_ms", &Settings::active_ms},
    {"update_ms", &Settings::update_ms},
    {"delete_ms", &Settings::delete_ms},
    {"load_balancers", &Settings::load_balancers},
    {"backends", &Settings::backends},
    {"routes", &Settings::routes},
    {"batch", &Settings::batch},
    {"says_when", &Settings::says_when},
}};

}  // namespace

Settings Settings::parse(const nlohmann::json& json) {
  if (!json.is_object()) throw std::invalid_argument("settings have to be an object");
  Settings settings;
  std::size_t known = 0;
  for (const auto& [name, member] : kSettings) {
    const auto found = json.find(name);
    if (found == json.end()) continue;
    ++known;
    if (!found->is_number_integer() || *found < 0) {
      throw std::invalid_argument(std::string(name) + " has to be a number >= 0");
    }
    settings.*member = *found;
  }
  if (known != json.size()) throw std::invalid_argument("unknown setting in " + json.dump());
  return settings;
}

nlohmann::json Settings::describe() const {
  nlohmann::json json;
  for (const auto& [name, member] : kSettings) json[name] = this->*member;
  return json;
}

}  // namespace sandbox::cloud
