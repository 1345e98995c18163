// The stateful fake of AWS's APIs as a command.
#include "aws_api/world.hpp"
#include "cloud_command.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace ccm::conformance_clouds {
namespace {

using aws_api::Machine;
using aws_api::World;

class Aws {
 public:
  // Routes of AWS bear no marks: the ranges of the Pods say which are the cluster's.
  json start(const json&) const {
    return {
        {"cloudConfig", "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n"},
        {"flags", {{"cluster-cidr", "10.244.0.0/16"}}}};
  }

  json http(const json& question) {
    now_ = std::chrono::milliseconds(question.at("clockMs").get<int64_t>());
    const auto answer = world_.handle(question.at("body").get<std::string>());
    return {{"status", answer.status},
            {"headers", {{"content-type", "text/xml"}}},
            {"body", answer.body}};
  }

  json add_machines(const json& question) {
    const bool first = question.value("first", false);
    json machines = json::array();
    for (int i = 0; i < question.at("count"); ++i) {
      const int number = first ? --before_ : ++last_;
      const Machine& machine = world_.add_node(number, names_.at("priv-a"));
      machines.push_back({{"name", machine.private_dns},
                          {"providerID", "aws:///" + machine.zone + "/" + machine.id}});
      auto& all = world_.cloud.machines;
      if (first) std::rotate(all.begin(), all.end() - 1, all.end());
    }
    return {{"machines", machines}};
  }

  json remove_machine(const json& question) {
    const std::string id = id_of(question);
    std::erase_if(world_.cloud.machines, [&](const Machine& one) { return one.id == id; });
    return json::object();
  }

  json switch_off_machine(const json& question) {
    world_.cloud.machine(id_of(question))->state = "stopped";
    return json::object();
  }

  json plant_load_balancer(const json&) {
    const std::string name = "theirs-" + std::to_string(++planted_);
    const std::string arn =
        "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/" + name + "/1";
    aws_api::Network& network = world_.balancing.networks[arn];
    network.name = name;
    network.scheme = "internet-facing";
    network.address_type = "ipv4";
    network.subnets = {names_.at("pub-a")};
    return {{"id", arn}};
  }

  json plant_route(const json& question) {
    world_.cloud.table(names_.at("rt-cluster"))
        ->routes.push_back({question.at("cidr").get<std::string>(), {}, {}, "vgw-1"});
    return json::object();
  }

  json remove_load_balancer(const json& question) {
    const std::string id = question.at("id");
    auto& balancing = world_.balancing;
    balancing.classics.erase(id);
    balancing.networks.erase(id);
    std::erase_if(balancing.listeners, [&](const auto& one) { return one.second.balancer == id; });
    return json::object();
  }

  json snapshot() {
    json content = json::object();
    const auto& balancing = world_.balancing;
    for (const auto& [arn, network] : balancing.networks) {
      content["networks"][arn] = {network.name, network.subnets, network.groups, network.tags,
                                  network.attributes};
    }
    for (const auto& [arn, group] : balancing.targets) {
      content["target groups"][arn] = {group.fields, group.targets, group.tags, group.attributes};
    }
    for (const auto& [arn, listener] : balancing.listeners) {
      content["listeners"][arn] = {listener.port, listener.protocol, listener.group};
    }
    for (const auto& [name, classic] : balancing.classics) {
      content["classics"][name] = {classic.subnets, classic.groups, classic.instances,
                                   classic.tags};
    }
    for (const auto& [id, group] : balancing.groups) {
      for (const auto& [key, rule] : group.rules) content["rules"][id].push_back(key);
      content["groups"][id] = {group.name, group.tags};
    }
    for (const aws_api::Table& table : world_.cloud.tables) {
      for (const aws_api::Route& route : table.routes) {
        content["routes"][table.id].push_back({route.destination, route.instance, route.gateway});
      }
    }
    return {{"snapshot", content},
            {"loadBalancers", balancing.networks.size() + balancing.classics.size()}};
  }

  static json secrets() { return {{"secrets", {"secret"}}}; }

 private:
  static std::string id_of(const json& question) {
    const std::string id = question.at("providerID");
    return id.substr(id.rfind('/') + 1);
  }

  std::chrono::milliseconds now_{0};
  World world_{[this] { return now_; }};
  aws_api::Names names_ = world_.populate();
  int last_ = 10'000;
  int before_ = 10'000;
  int planted_ = 0;
};

}  // namespace
}  // namespace ccm::conformance_clouds

int main() {
  ccm::conformance_clouds::Aws cloud;
  return ccm::conformance_clouds::serve_cloud(cloud);
}
