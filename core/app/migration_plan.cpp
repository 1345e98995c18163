#include "app/migration_plan.hpp"

#include "election/leader_migration.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ccm::app {
namespace {

using election::ControllerLease;
using Names = std::vector<std::string_view>;

// The built-in configuration calls two controllers by names that they no longer have (TRAP-3).
// Taken at its word it would let two managers run them at once, which is what it is to prevent.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFormerNames{
    {{"node-route-controller", "route-controller"},
     {"service-lb-controller", "service-controller"}}};

Names names_of(const KnownController& controller) {
  Names names{controller.name};
  names.insert(names.end(), controller.aliases.begin(), controller.aliases.end());
  for (const auto& [name, former] : kFormerNames) {
    if (name == controller.name) names.push_back(former);
  }
  return names;
}

std::vector<std::string> unknown_names(const election::LeaderMigration& migration,
                                       std::span<const KnownController> known) {
  std::vector<std::string> unknown;
  for (const auto& entry : migration.controller_leaders) {
    const bool ours = std::ranges::any_of(known, [&](const KnownController& controller) {
      const Names names = names_of(controller);
      return std::ranges::find(names, entry.name) != names.end();
    });
    if (!ours) unknown.push_back(entry.name);
  }
  return unknown;
}

}  // namespace

Result<MigrationPlan> plan_migration(const LeaderMigrationOptions& migration,
                                     const LeaderElectionOptions& election,
                                     std::span<const KnownController> known,
                                     std::vector<std::string>& enabled) {
  MigrationPlan plan;
  if (!migration.enabled || !election.leader_elect) return plan;
  auto read = migration.config_file.empty()
                  ? Result<election::LeaderMigration>(election::default_leader_migration())
                  : election::read_leader_migration(migration.config_file);
  if (!read.ok()) return read.status();
  if (read->leader_name == election.resource_name) {
    return Status(Code::invalid_argument,
                  "leader migration needs a Lease of its own: leaderName is \"" +
                      read->leader_name +
                      "\", as --leader-elect-resource-name; change one of them");
  }
  plan.lease = read->leader_name;
  plan.unknown = unknown_names(*read, known);
  for (const KnownController& controller : known) {
    const auto runs = std::ranges::find(enabled, controller.name);
    if (runs == enabled.end()) continue;
    switch (election::lease_of(*read, names_of(controller))) {
      case ControllerLease::main:
        break;
      case ControllerLease::migration:
        plan.migrated.insert(controller.name);
        break;
      case ControllerLease::none:
        plan.elsewhere.push_back(controller.name);
        enabled.erase(runs);
        break;
    }
  }
  return plan;
}

}  // namespace ccm::app
