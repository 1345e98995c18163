// The simplest dependencies of a plugin host: no flag is given, this process leads, and the API
// server answers nothing.
#pragma once

#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin/host_services/leader_service.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::plugin {

struct NoFlags final : FlagSource {
  [[nodiscard]] bool given(std::string_view) const override { return false; }
  [[nodiscard]] std::optional<std::string> flag(std::string_view) const override {
    return std::nullopt;
  }
};

struct Leader final : LeaderState {
  [[nodiscard]] bool leading() const override { return true; }
  [[nodiscard]] uint64_t transitions() const override { return 0; }
};

struct SilentApi : ObjectApi {
  void send(ObjectRequest, Done) override {}
};

}  // namespace ccm::plugin
