// A component with all that belongs to it. It is freed as a whole, or not at all. Loop thread.
#pragma once

#include "plugin/component_controller.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/live_component.hpp"
#include "plugin_files/loader.hpp"
#include "runtime/timers.hpp"
#include "runtime/watchdog.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {

struct ComponentUnit {
  ComponentKind kind = ComponentKind::controller;
  std::shared_ptr<LiveComponent> live;
  std::shared_ptr<ComponentHost> host;
  std::shared_ptr<ControllerPort> port = std::make_shared<ControllerPort>();
  std::unique_ptr<ComponentController> controller;  // once it is set up
  std::string skipped;                              // why its setup found nothing to do

  [[nodiscard]] const std::string& name() const { return live->identity().name; }
  // Null until the controller has been set up.
  [[nodiscard]] runtime::ControllerRunner* runner() const {
    return controller ? controller->runner() : nullptr;
  }
};

// As the manifest describes the component.
ComponentIdentity identity_of(const LoadedPlugin& plugin, const Component& component);

// Memory that a plugin may still use stays reachable and is never freed.
void keep_for_ever(std::shared_ptr<void> what);

// For health pages.
struct ComponentReport {
  std::string name;
  std::string plugin_id;
  ComponentKind kind = ComponentKind::controller;
  bool degraded = false;  // stalls the loop, or misses its deadlines
  std::string skipped;    // why a controller's setup found nothing to do; empty: it runs
  uint64_t stalls = 0;
  uint64_t missed_deadlines = 0;
  uint64_t wrong_thread_calls = 0;
  std::size_t operations = 0;  // in flight
  struct Queue {
    std::size_t ready = 0;
    std::size_t delayed = 0;
    std::size_t running = 0;
    std::size_t unsettled = 0;  // keys whose last attempt failed, or is the first
    bool synced = false;        // its caches hold a complete list
    bool started = false;       // it takes keys
    std::size_t workers = 0;    // keys that it reconciles at once
  };
  std::optional<Queue> queue;        // of a controller that was set up
  std::vector<std::string> watches;  // of a controller: "v1/nodes"
};

ComponentReport report_of(const ComponentUnit& unit, const runtime::Watchdog& watchdog,
                          runtime::TimePoint now);

}  // namespace ccm::plugin
