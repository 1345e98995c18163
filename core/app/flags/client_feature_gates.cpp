#include "app/flags/client_feature_gates.hpp"

#include "app/flags/go_values.hpp"
#include "base/log.hpp"

#include <array>

namespace ccm::app {
namespace {

struct ClientGate {
  std::string_view name;
  bool default_value = false;
  bool locked = false;
};

// As of client-go 0.37.
constexpr std::array kClientGates = std::to_array<ClientGate>({
    {"AtomicFIFO", true},
    {"ClientsAllowCARotation", true},
    {"ClientsAllowCBOR", false},
    {"ClientsAllowTLSCacheGC", true},
    {"ClientsPreferCBOR", false},
    {"InOrderInformers", true, true},
    {"InOrderInformersBatchProcess", true},
    {"InformerResourceVersion", true},
    {"UnlockWhileProcessingFIFO", true},
    {kWatchListClient, true},
});

std::string variable_of(std::string_view gate) { return "KUBE_FEATURE_" + std::string(gate); }

}  // namespace

void ClientFeatureGates::read(const std::function<const char*(const char* name)>& environment) {
  for (const ClientGate& gate : kClientGates) {
    const char* const text = environment(variable_of(gate.name).c_str());
    if (text != nullptr) given_.emplace(gate.name, text);
  }
}

bool ClientFeatureGates::watch_list() const {
  const auto given = given_.find(kWatchListClient);
  return given == given_.end() || parse_bool(given->second).value_or(true);
}

void ClientFeatureGates::log() const {
  std::string idle;
  for (const ClientGate& gate : kClientGates) {
    const auto given = given_.find(gate.name);
    if (given == given_.end()) continue;
    const auto value = parse_bool(given->second);
    if (!value) {
      log::error("Could not set a feature gate: the variable must be true or false",
                 {{"variable", variable_of(gate.name)}, {"value", given->second}});
    } else if (gate.locked && *value != gate.default_value) {
      log::error("Could not set a feature gate: it is locked",
                 {{"variable", variable_of(gate.name)}, {"value", given->second}});
    } else if (gate.name == kWatchListClient) {
      log::v(1).info("Feature gate of the environment", {{"gate", gate.name}, {"enabled", *value}});
    } else {
      idle += (idle.empty() ? "" : ", ") + variable_of(gate.name);
    }
  }
  if (idle.empty()) return;
  log::info("Feature gates of the environment have no effect",
            {{"variables", idle}, {"reason", "they concern parts of Go's client"}});
}

}  // namespace ccm::app
