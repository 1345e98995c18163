// Both APIs of Elastic Load Balancing, and the part of EC2 around them, as a stateful fake:
// security groups, subnets, route tables, zones, instances. It refuses what AWS refuses (AWS-163 to
// 165).
#pragma once

#include "form.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ccm::aws_api {

using Tags = std::map<std::string, std::string>;

struct Permission {
  std::string protocol;
  int64_t from = -1;
  int64_t to = -1;
  std::string source;
  std::string description;
  [[nodiscard]] std::string key() const {
    return protocol + " " + std::to_string(from) + "-" + std::to_string(to) + " " + source;
  }
};
struct Group {
  std::string name;
  std::string description;
  Tags tags;
  std::map<std::string, Permission> rules;  // by key
};
struct Subnet {
  std::string zone;
  std::string cidr;
  std::string ipv6_cidr;
  Tags tags;
  bool is_public = true;
  std::string ipv6_state = "associated";
};
struct Instance {
  std::string zone;
  std::string state = "running";
  std::vector<std::string> groups;
  Tags tags;
};
struct Network {
  std::string name;
  std::string type = "network";
  std::string scheme;
  std::string address_type;
  bool prefix_for_source_nat = false;
  std::string state = "active";
  std::vector<std::string> subnets;
  std::vector<std::string> groups;
  std::vector<std::string> allocations;
  std::vector<std::string> private_addresses;
  Tags tags;
  Tags attributes;
};
struct TargetGroup {
  std::string name;
  std::map<std::string, std::string> fields;  // as they were given at the creation
  std::set<std::string> targets;
  Tags tags;
  Tags attributes;
};
struct Listener {
  std::string balancer;
  int64_t port = 0;
  std::string protocol;
  std::string group;
  std::string policy;
  std::string alpn;
  std::vector<std::string> certificates;  // the first is the default
  Tags tags;
};
struct ClassicListener {
  std::map<std::string, std::string> fields;
  std::set<std::string> policies;
};
struct Classic {
  std::string scheme;
  std::map<int64_t, ClassicListener> listeners;
  std::vector<std::string> subnets;
  std::vector<std::string> groups;
  std::set<std::string> instances;
  std::map<std::string, std::string> health;
  std::map<std::string, std::string> attributes;
  std::set<std::string> policies;
  std::map<int64_t, std::set<std::string>> port_policies;
  Tags tags;
};

// A fault: the next calls of that action fail.
struct Fault {
  std::string action;
  Error error;
  int count = 1;
  bool after_effect = false;  // carried out, and the answer is lost
};

class LoadBalancing {
 public:
  Reply handle(std::string_view body);

  // What a test looks at, and changes as a hand would.
  std::map<std::string, Network> networks;     // by ARN
  std::map<std::string, TargetGroup> targets;  // by ARN
  std::map<std::string, Listener> listeners;   // by ARN
  std::map<std::string, Classic> classics;     // by name
  std::map<std::string, Group> groups;         // by id
  std::map<std::string, Subnet> subnets;       // by id
  std::map<std::string, Instance> instances;   // by id
  std::set<std::string> groups_in_use;         // by network interfaces that are still there
  std::vector<Fault> faults;
  std::string state_of_new = "active";
  std::size_t most_rules = 60;

  std::map<std::string, int> calls;  // by action
  [[nodiscard]] int writes() const;
  [[nodiscard]] int reads() const;
  [[nodiscard]] int count(const std::string& action) const;
  void clear_log() { calls.clear(); }
  // "VERB": in the order of the calls.
  std::vector<std::string> journal;
  // The last call of each action.
  std::map<std::string, Form> last;

 private:
  using Outcome = std::variant<std::string, Error>;  // the result's XML
  using Action = std::function<Outcome(const Form&)>;

  void add_network_actions();
  void add_classic_actions();
  void add_ec2_actions();
  void add(const std::string& api, const std::string& action, Action run);
  std::string new_arn(const std::string& kind, const std::string& name);
  std::string new_id(const std::string& prefix);
  std::optional<Error> bad_targets(const std::vector<Form>& named, const std::string& code) const;
  Outcome change_rules(const Form& form, bool add);

  std::map<std::string, Action> actions_;  // by "API ACTION"
  int64_t next_ = 1;
  bool ready_ = false;
};

}  // namespace ccm::aws_api
