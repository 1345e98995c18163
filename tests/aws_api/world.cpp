#include "world.hpp"

#include "form.hpp"

#include <set>
#include <utility>

namespace ccm::aws_api {
namespace {

constexpr const char* kEc2 = "2016-11-15";
constexpr const char* kGroup = "sg-000000000000aaaaa";
constexpr const char* kOtherGroup = "sg-000000000000bbbbb";

// Whether load_balancing.hpp answers; EC2's other actions are the cloud's.
bool is_of_balancing(const Form& form) {
  static const std::set<std::string> actions{
      "DescribeSecurityGroups", "CreateSecurityGroup",           "DeleteSecurityGroup",
      "DescribeSubnets",        "AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress"};
  if (form.text("Version") != kEc2 || actions.contains(form.text("Action"))) return true;
  const auto ids = form.list("ResourceId");
  return !ids.empty() && ids.front().starts_with("sg-");
}

}  // namespace

World::World(std::function<std::chrono::milliseconds()> now) : cloud(now), now_(std::move(now)) {}

Answer World::handle(std::string_view body) {
  const Form form = Form::parse(body);
  const bool to_judge = form.text("DryRun") == "true" || cloud.denied.contains(form.text("Action"));
  if (to_judge || !is_of_balancing(form)) return cloud.handle(body);
  // Nothing else looks at them, and there may be thousands.
  if (form.text("Action").starts_with("Register")) share_instances();
  provision();
  Reply reply = balancing.handle(body);
  provision();  // the time of a new one begins
  return {reply.status, std::move(reply.body)};
}

void World::provision() {
  for (auto& [arn, network] : balancing.networks) {
    if (network.state != "provisioning") continue;
    const auto since = provisioning_since_.try_emplace(arn, now_()).first;
    if (now_() - since->second < provisioning_time) continue;
    network.state = "active";
    provisioning_since_.erase(since);
  }
}

void World::share_instances() {
  balancing.instances.clear();
  for (const Machine& machine : cloud.machines) {
    balancing.instances[machine.id] = {machine.zone, machine.state, machine.groups, machine.tags};
  }
}

void World::add_subnet(Names& names, const std::string& name, const std::string& zone, int number,
                       bool is_public) {
  const std::string id = "subnet-0000000000000000" + std::to_string(++subnets_);
  Tags tags{{"Name", name}, {"kubernetes.io/cluster/c1", "shared"}};
  tags[is_public ? "kubernetes.io/role/elb" : "kubernetes.io/role/internal-elb"] = "1";
  balancing.subnets[id] = {zone, "10.0." + std::to_string(number) + ".0/24", {}, tags, is_public};
  cloud.table(is_public ? "rtb-00000000000000001" : "rtb-00000000000000002")->subnets.push_back(id);
  names[name] = id;
}

Machine& World::add_node(int number, const std::string& subnet) {
  Machine& machine = cloud.add_machine(number);
  machine.subnet = subnet;
  machine.zone = balancing.subnets.at(subnet).zone;
  machine.groups = {kGroup};
  return machine;
}

Names World::populate() {
  Names names{{"vpc", "vpc-1"}, {"sg-nodes", kGroup}, {"sg-own", kOtherGroup}};
  const Tags owned{{"kubernetes.io/cluster/c1", "owned"}};
  balancing.groups[kGroup] = {"sg-nodes", "sg-nodes", owned, {}};
  balancing.groups[kOtherGroup] = {"sg-own", "sg-own", {}, {}};
  Table open{"rtb-00000000000000001", "vpc-1", {}, {}};
  open.routes.push_back({"0.0.0.0/0", {}, {}, "igw-1"});
  cloud.tables.push_back(std::move(open));
  cloud.tables.push_back({"rtb-00000000000000002", "vpc-1", owned, {}});
  names["rt-cluster"] = "rtb-00000000000000002";
  add_subnet(names, "pub-a", "us-east-1a", 0, true);
  add_subnet(names, "pub-b", "us-east-1b", 1, true);
  add_subnet(names, "priv-a", "us-east-1a", 10, false);
  add_subnet(names, "priv-b", "us-east-1b", 11, false);
  for (int number = 1; number <= 4; ++number) {
    const Machine& machine = add_node(number, names[number % 2 == 1 ? "priv-a" : "priv-b"]);
    const std::string name = "n" + std::to_string(number);
    names[name] = machine.id;
    names[name + "-dns"] = machine.private_dns;
    names[name + "-ip"] = machine.cards.front().private_addresses.front();
  }
  for (const char* certificate : {"cert-1", "cert-2"}) {
    names[certificate] =
        "arn:aws:acm:us-east-1:123456789012:certificate/" + std::string(certificate);
  }
  return names;
}

}  // namespace ccm::aws_api
