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
  void get(kube::Resource, std::string, std::string, kube::CallOptions, Done) override {}
  void list(kube::Resource, std::string, kube::ListOptions, kube::CallOptions, Done) override {}
  void create(kube::Resource, std::string, std::string, kube::WriteOptions, kube::CallOptions,
              Done) override {}
  void create_sub(kube::Resource, std::string, std::string, std::string, std::string,
                  kube::CallOptions, Done) override {}
  void patch(kube::Resource, std::string, std::string, kube::PatchType, std::string,
             kube::WriteOptions, kube::CallOptions, Done) override {}
  void remove(kube::Resource, std::string, std::string, kube::DeleteOptions, kube::CallOptions,
              Done) override {}
};

}  // namespace ccm::plugin
