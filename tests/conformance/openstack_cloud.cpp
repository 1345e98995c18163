// The stateful fake of OpenStack's APIs as a command.
#include "cloud_command.hpp"
#include "openstack_api/add_servers.hpp"
#include "openstack_api/cloud.hpp"

#include <chrono>
#include <string>

namespace ccm::conformance_clouds {
namespace {

using openstack_api::Cloud;

const std::string kUrl = "https://cloud.example";

class OpenStack {
 public:
  OpenStack() {
    cloud_.region().network.set_quota(demo(), "port", -1);
    for (const char* resource : {"load_balancer", "listener", "pool", "member", "health_monitor"}) {
      cloud_.region().load_balancing.set_quota(demo(), resource, -1);
    }
  }

  json start(const json&) const {
    const std::string conf =
        "[Global]\nauth-url = " + kUrl + "/identity/v3\nusername = demo\npassword = secret\n" +
        "tenant-name = demo\ndomain-name = Default\nregion = RegionOne\n[Route]\nrouter-id = " +
        facts_.at("ids").at("router").get<std::string>() + "\n";
    return {{"cloudConfig", conf}};
  }

  json http(const json& question) {
    now_ = std::chrono::milliseconds(1'767'225'600'000 + question.at("clockMs").get<int64_t>());
    openstack_api::Request request{
        question.at("method"), target_of(question), {}, question.at("body")};
    for (const auto& [name, value] : question.at("headers").items()) request.headers[name] = value;
    const auto answer = cloud_.handle(request);
    return {{"status", answer.status}, {"headers", answer.headers}, {"body", answer.body}};
  }

  json add_machines(const json& question) {
    json machines = json::array();
    const int count = question.at("count");
    const std::string prefix = "machine-" + std::to_string(++batches_) + "-";
    const auto ids = openstack_api::add_servers(cloud_, facts_, prefix, count, "many");
    if (batches_ == 1) {
      auto& network = cloud_.region().network;
      network.add_interface(facts_.at("ids").at("router"),
                            network.records("subnets").find_by("name", "many")->at("id"));
    }
    for (int i = 0; i < count; ++i) {
      machines.push_back({{"name", prefix + std::to_string(i)},
                          {"providerID", "openstack:///" + ids[static_cast<std::size_t>(i)]}});
    }
    return {{"machines", machines}};
  }

  json remove_machine(const json& question) {
    const std::string id = question.at("providerID");
    cloud_.region().compute.remove_server(id.substr(std::string("openstack:///").size()));
    return json::object();
  }

  json switch_off_machine(const json& question) {
    const std::string id = question.at("providerID");
    auto& servers = cloud_.region().compute.servers();
    servers.find(id.substr(std::string("openstack:///").size()))->at("status") = "SHUTOFF";
    return json::object();
  }

  // The first one by the API, the others as copies of it.
  json plant_load_balancer(const json&) {
    auto& records = cloud_.region().load_balancing.records("loadbalancers");
    if (planted_.is_null()) {
      const json made =
          ask("POST", "/load-balancer/v2.0/lbaas/loadbalancers",
              {{"loadbalancer",
                {{"name", "theirs"}, {"vip_subnet_id", facts_.at("ids").at("private-v4")}}}});
      cloud_.region().load_balancing.advance();
      planted_ = *records.find(made.at("loadbalancer").at("id"));
      return {{"id", planted_.at("id")}};
    }
    json copy = planted_;
    const std::string number = std::to_string(100'000'000'000 + ++copies_);
    copy["id"] = "00000000-0000-4000-8000-" + number;
    copy[".own_port"] = false;
    return {{"id", records.add(std::move(copy)).at("id")}};
  }

  json plant_route(const json& question) {
    json& router = *cloud_.region().network.records("routers").find(facts_.at("ids").at("router"));
    router["routes"].push_back({{"destination", question.at("cidr")}, {"nexthop", "10.10.0.250"}});
    router["revision_number"] = router["revision_number"].get<int64_t>() + 1;
    return json::object();
  }

  json remove_load_balancer(const json& question) {
    cloud_.region().load_balancing.records("loadbalancers").remove(question.at("id"));
    return json::object();
  }

  json exhaust_quota(const json&) {
    cloud_.region().load_balancing.set_quota(demo(), "load_balancer", 0);
    return json::object();
  }

  json snapshot() {
    json content = json::object();
    auto& balancing = cloud_.region().load_balancing;
    balancing.advance();
    for (const char* kind : {"loadbalancers", "listeners", "pools", "members", "healthmonitors"}) {
      content[kind] = ids_of(balancing.records(kind));
    }
    auto& network = cloud_.region().network;
    for (const char* kind : {"floatingips", "security_groups", "security_group_rules"}) {
      content[kind] = ids_of(network.records(kind));
    }
    const json& router = *network.records("routers").find(facts_.at("ids").at("router"));
    content["routes"] = router.at("routes");
    return {{"snapshot", content}, {"loadBalancers", balancing.records("loadbalancers").size()}};
  }

  static json secrets() { return {{"secrets", {"secret"}}}; }

 private:
  json ask(const std::string& method, const std::string& target, const json& body) {
    const json domain = {{"name", "Default"}};
    const json user = {{"name", "demo"}, {"domain", domain}, {"password", "secret"}};
    const json identity = {{"methods", json::array({"password"})}, {"password", {{"user", user}}}};
    const json scope = {{"project", {{"name", "demo"}, {"domain", domain}}}};
    const auto login =
        cloud_.handle({"POST",
                       "/identity/v3/auth/tokens",
                       {{"content-type", "application/json"}},
                       json{{"auth", {{"identity", identity}, {"scope", scope}}}}.dump()});
    const auto answer = cloud_.handle({method,
                                       target,
                                       {{"content-type", "application/json"},
                                        {"x-auth-token", login.headers.at("x-subject-token")}},
                                       body.dump()});
    if (answer.status >= 300) throw std::runtime_error(target + ": " + answer.body);
    return json::parse(answer.body);
  }
  [[nodiscard]] std::string demo() const { return facts_.at("projects").at("demo"); }
  static json ids_of(const openstack_api::Records& records) {
    json ids = json::array();
    for (const json& record : records) ids.push_back(record.at("id"));
    return ids;
  }

  std::chrono::milliseconds now_{1'767'225'600'000};
  Cloud cloud_{[this] { return now_; }, kUrl};
  json facts_ = openstack_api::populate(cloud_);
  json planted_;
  int64_t copies_ = 0;
  int batches_ = 0;
};

}  // namespace
}  // namespace ccm::conformance_clouds

int main() {
  ccm::conformance_clouds::OpenStack cloud;
  return ccm::conformance_clouds::serve_cloud(cloud);
}
