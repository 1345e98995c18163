// /statusz (KEP-4827): identity and current state of this process, for people and, as JSON, for
// tools. Loop thread.
#pragma once

#include "access/access_check.hpp"
#include "app/endpoint.hpp"
#include "app/flags/options.hpp"
#include "app/leadership.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "kube/informer.hpp"
#include "plugin_host/plugin_host.hpp"
#include "serving/message.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace ccm::app {

// The references outlive the page.
struct StatusSources {
  const Options& options;
  const LoadedSelection& selection;
  const MigrationPlan& migration;
  const Leadership& leadership;
  const kube::InformerSet& informers;
  const plugin_host::PluginHost& plugins;
  const std::optional<access::AccessCheck>& access;  // empty until the components are created
  const Endpoint& endpoint;
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

serving::Answer status_page(const StatusSources& sources, const serving::Request& request);

using StatusJson = nlohmann::ordered_json;

// The most objects shown of each controller: more would keep the loop busy for too long.
inline constexpr std::size_t kMostStatusObjects = 1'000;

struct StatusQuery {
  std::size_t limit = 100;            // waiting objects of each controller
  std::optional<std::string> object;  // the key of an object that every controller reports on
  std::optional<std::string> route;   // a Node whose routes are shown
};

// From it the text is made.
StatusJson status_json(const StatusSources& sources, const StatusQuery& query);

// A string as it is, anything else as JSON on one line.
std::string plain(const StatusJson& value);

}  // namespace ccm::app
