// A security group on ports of servers, kept as it is wanted (OS-316..OS-327). [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <nlohmann/json_fwd.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

// Lets traffic in.
struct InwardRule {
  std::string protocol;  // tcp, udp, sctp
  std::string family;    // IPv4, IPv6
  std::string range;     // where it comes from
  int64_t port = 0;

  friend auto operator<=>(const InwardRule&, const InwardRule&) = default;
};

struct WantedGroup {
  std::string name;
  std::string description;
  std::set<InwardRule> rules;
  std::string subnet_id;                                 // the ports have an address on it
  std::map<std::string, std::string> server_by_address;  // the addresses of Nodes
  std::string namespace_name;                            // of its Service
};

struct GroupPort {
  std::string id;
  std::string server_id;
  std::map<std::string, std::string> subnet_by_address;
  std::vector<std::string> groups;
  bool secured = true;    // port security is on; else it takes no group (OS-327)
  int64_t revision = -1;  // -1 = the cloud counts none
};

struct GroupRule {
  std::string id;
  bool inward = false;  // and for one port
  InwardRule rule;
};

// Failure: bad_answer(). The IDs of the groups of that name; the rules of that group.
Result<std::vector<std::string>> parse_group_ids(std::string_view json_text,
                                                 const std::string& name);
Result<std::vector<GroupRule>> parse_group_rules(std::string_view json_text,
                                                 const std::string& group_id);
// Throws json::exception.
GroupPort read_group_port(const nlohmann::json& entry);

class SecurityGroups {
 public:
  SecurityGroups(Host& host, Api& api) : api_(api), port_writes_(host.post, 1) {}

  // Makes it so, or with `write` = false only looks. Returns whether something differed.
  // Failure: conflict when somebody else changes a port at the same time; ask again.
  Task<Result<bool>> apply(Ctx ctx, const WantedGroup& wanted, bool write);
  // Takes it off all ports and deletes it. Success also when there is none. `namespace_name`: of
  // its Service; empty = none is known.
  Task<Status> remove(Ctx ctx, std::string name, std::string namespace_name);

 private:
  Task<Result<std::string>> call(Ctx ctx, const char* method, std::string path,
                                 const char* operation, std::string body, std::string if_match);
  // The group of that name; empty = none.
  Task<Result<std::string>> find(Ctx ctx, std::string name);
  Task<Result<bool>> apply_rules(Ctx ctx, std::string id, const WantedGroup& wanted, bool write);
  Task<Result<bool>> apply_ports(Ctx ctx, std::string id, const WantedGroup& wanted, bool write);
  Task<Result<GroupPort>> read_port(Ctx ctx, std::string id);
  Task<Result<std::vector<GroupPort>>> ports(Ctx ctx, std::string query);
  Task<Result<std::vector<GroupPort>>> ports_of(Ctx ctx, const WantedGroup& wanted);
  // Has the port be in the group, or not. The namespaces that wait take turns.
  Task<Status> set_group(Ctx ctx, GroupPort port, std::string id, bool in,
                         std::string namespace_name);

  Api& api_;
  Semaphore port_writes_;
};

}  // namespace ccm::openstack
