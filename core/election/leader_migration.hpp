// Leader migration (KEP-2436, HOST-113, 121..125): the file that says which controllers move
// between controller managers, and on which Lease they exclude each other meanwhile. Reading
// blocks; plain values, any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::election {

struct LeaderMigration {
  struct ControllerLeader {
    std::string name;       // a controller's
    std::string component;  // that runs it; "*": each one, one at a time
  };
  std::string leader_name;  // the Lease's
  std::vector<ControllerLeader> controller_leaders;
};

// The migration of an empty --leader-migration-config (HOST-113).
LeaderMigration default_leader_migration();

// A LeaderMigrationConfiguration in YAML or JSON. A failure is one line: what, where, what to do.
Result<LeaderMigration> read_leader_migration(const std::string& path);
// Reads it from a text; `name` stands in messages.
Result<LeaderMigration> parse_leader_migration(const std::string& text, const std::string& name);

// The Lease for which a controller of the cloud-controller-manager waits (HOST-124).
enum class ControllerLease { main, migration, none };

// `names`: all that the controller is called by. Of several entries for it the last one counts.
ControllerLease lease_of(const LeaderMigration& migration,
                         const std::vector<std::string_view>& names);

}  // namespace ccm::election
