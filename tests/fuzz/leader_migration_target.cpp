// Files of leader migration (election/leader_migration.hpp). Input: the text.
// Properties: no exception; what is accepted has all names; a failure is one line.
#include "election/leader_migration.hpp"
#include "fuzz.hpp"

#include <algorithm>

namespace ccm::fuzz {

void leader_migration_target(std::string_view bytes) {
  const auto read = election::parse_leader_migration(std::string(bytes), "file");
  if (!read.ok()) {
    const std::string message = read.status().message();
    require(!message.empty(), "a failure says what is wrong");
    require(std::none_of(message.begin(), message.end(),
                         [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
            "a failure is one line");
    return;
  }
  require(!read->leader_name.empty(), "the Lease has a name");
  for (const auto& entry : read->controller_leaders) {
    require(!entry.name.empty() && !entry.component.empty(), "an entry is whole");
    require(election::lease_of(*read, {entry.name}) != election::ControllerLease::main,
            "a listed controller is not of the main Lease");
  }
}

}  // namespace ccm::fuzz
