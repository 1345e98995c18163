#include "plugin_host/component_unit.hpp"

#include <utility>

namespace ccm::plugin {

ComponentIdentity identity_of(const LoadedPlugin& plugin, const Component& component) {
  ComponentIdentity identity;
  identity.plugin_id = plugin.manifest.id;
  identity.name = component.name;
  identity.client_name = component.client_name;
  identity.nonblocking = plugin.manifest.nonblocking;
  identity.max_parallel = plugin.manifest.max_parallel;
  identity.provider_id_prefixes = component.provider_id_prefixes;
  identity.interfaces = component.interfaces;
  return identity;
}

void keep_for_ever(std::shared_ptr<void> what) {
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  kept->push_back(std::move(what));
}

ComponentReport report_of(const ComponentUnit& unit, const runtime::Watchdog& watchdog,
                          runtime::TimePoint now) {
  const ComponentIdentity& identity = unit.live->identity();
  const auto& watched = watchdog.components().find(identity.name)->second;
  ComponentReport report;
  report.name = identity.name;
  report.plugin_id = identity.plugin_id;
  report.kind = unit.kind;
  report.degraded = watched.degraded(now);
  report.skipped = unit.skipped;
  report.stalls = watched.stalls();
  report.missed_deadlines = watched.missed_deadlines();
  report.wrong_thread_calls = unit.live->wrong_thread_calls();
  report.operations = unit.live->operations()->in_flight();
  if (const runtime::ControllerRunner* runner = unit.runner()) {
    const runtime::WorkQueue& queue = runner->queue();
    report.queue = {
        queue.ready(),    queue.delayed(),   queue.processing(), unit.controller->records().size(),
        runner->synced(), runner->started(), runner->workers()};
    report.watches = unit.controller->watched();
  }
  return report;
}

}  // namespace ccm::plugin
