// The meaning of leader migration for the controllers of this command line (HOST-121, 124). Home
// thread: main; a value afterwards.
#pragma once

#include "app/flags/controller_selection.hpp"
#include "app/flags/options.hpp"

#include <ccm/status.hpp>

#include <set>
#include <span>
#include <string>
#include <vector>

namespace ccm::app {

struct MigrationPlan {
  std::string lease;                   // for the controllers that move; empty: none does
  std::set<std::string> migrated;      // controllers that run only while this process holds it
  std::vector<std::string> elsewhere;  // controllers that another component runs
  std::vector<std::string> unknown;    // names in the configuration that mean none of ours

  [[nodiscard]] bool active() const { return !lease.empty(); }
};

// Takes the controllers that run elsewhere out of `enabled`. Reads the file that the flags name; a
// failure is one line. Without --enable-leader-migration, or without an election, nothing moves.
Result<MigrationPlan> plan_migration(const LeaderMigrationOptions& migration,
                                     const LeaderElectionOptions& election,
                                     std::span<const KnownController> known,
                                     std::vector<std::string>& enabled);

}  // namespace ccm::app
