// A small EC2 with state, as far as Nodes, routes and tags need it: filters, pages, faults, and
// changes that are seen late. tests/aws holds it against a server that others wrote. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws_api {

using Tags = std::map<std::string, std::string>;

struct Card {
  std::string id;
  int device_index = 0;
  bool source_dest_check = true;
  std::vector<std::string> private_addresses;
  std::vector<std::string> ipv6_addresses;
  std::string status = "in-use";
};

struct Machine {
  std::string id;
  std::string type = "m5.large";
  std::string state = "running";
  std::string zone = "us-east-1a";
  std::string vpc = "vpc-1";
  std::string subnet = "subnet-1";
  std::string private_dns;
  std::string public_dns;
  std::string public_address;
  std::vector<Card> cards;
  std::vector<std::string> groups;  // security groups
  Tags tags;
  std::vector<std::string> layers;  // of the network's topology
  // Describe calls do not know it before (eventual consistency).
  std::chrono::milliseconds seen_from{0};
};

struct Route {
  std::string destination;
  std::string instance;
  std::string card;
  std::string gateway;
  bool blackhole = false;
};

struct Table {
  std::string id;
  std::string vpc = "vpc-1";
  Tags tags;
  std::vector<Route> routes;
  std::vector<std::string> subnets{};  // ids
  bool main = false;
};

// The next `count` calls of `action` ("" = any) get that answer.
struct CallFault {
  std::string action;
  int count = 1;
  int status = 503;
  std::string code = "RequestLimitExceeded";
  std::string message = "Request limit exceeded.";
  bool cut = false;  // no answer; the call was carried out
};

struct Answer {
  int status = 200;
  std::string body;
  bool cut = false;
};

// The parameters of a call, with their names on the wire.
using Parameters = std::map<std::string, std::string>;

class Cloud {
 public:
  explicit Cloud(std::function<std::chrono::milliseconds()> now) : now_(std::move(now)) {}

  // The answer to the body of a POST.
  Answer handle(std::string_view body);

  std::vector<Machine> machines;
  std::vector<Table> tables;
  std::vector<CallFault> faults;
  std::map<std::string, std::string> zones{{"us-east-1a", "use1-az6"}, {"us-east-1b", "use1-az1"}};
  // Addresses of Fargate tasks.
  std::vector<std::string> fargate;
  size_t most_routes = 500;
  std::string more_of_each;  // XML of each instance beside what is read, as long as AWS's own
  // Actions that the keys have no right to, of any of the APIs.
  std::set<std::string, std::less<>> denied;
  bool minds_dry_run = true;  // as EC2 does, and not all that stand in for it

  // How many calls of that action came; of any when empty.
  [[nodiscard]] size_t calls(std::string_view action = {}) const;
  [[nodiscard]] const std::vector<Parameters>& journal() const { return journal_; }
  void clear_journal() { journal_.clear(); }

  [[nodiscard]] Machine* machine(std::string_view id);
  [[nodiscard]] Table* table(std::string_view id);
  // i-0000000000000000<number>, with one card 10.0.0.<number> and the tag of cluster c1.
  Machine& add_machine(int number);

 private:
  Answer act(const std::string& action, const Parameters& form);
  Answer describe_instances(const Parameters& form);
  Answer describe_topology(const Parameters& form);
  Answer describe_tables(const Parameters& form);
  Answer describe_cards(const Parameters& form);
  Answer change_route(const std::string& action, const Parameters& form);
  Answer modify_check(const std::string& action, const Parameters& form);
  Answer change_tags(const std::string& action, const Parameters& form);

  std::function<std::chrono::milliseconds()> now_;
  std::vector<Parameters> journal_;
};

}  // namespace ccm::aws_api
