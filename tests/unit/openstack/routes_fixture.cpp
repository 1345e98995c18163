#include "routes_fixture.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

std::string joined(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string word_of(const Status& status) {
  if (status.ok()) return "ok";
  return status.error_class() == ErrorClass::quota ? "full" : std::string(status.reason());
}

}  // namespace

RoutesTest::RoutesTest() {
  host.http.handle([this](const HttpRequest& request) {
    if (hook_ && request.method == hook_method_ &&
        std::regex_search(request.url, std::regex(hook_path_))) {
      std::exchange(hook_, nullptr)();
    }
    auto answer = serve(request);
    // As the host does after a connection that ended.
    for (uint32_t left = request.max_tries; left > 1 && !answer.outcome.ok(); --left) {
      answer = serve(request);
    }
    return answer;
  });
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"this-cluster"}})");
  host.kube.watch("v1/nodes", {"/spec/podCIDRs", "/spec/providerID"},
                  [](int32_t, const Object&, const Object&) {});
  host.config.set_flag("cluster-cidr", "10.244.0.0/16,fd00:244::/48");
  cloud.region().network.set_quota(facts.at("projects").at("demo"), "port", -1);
}

std::string RoutesTest::conf(const std::string& router) {
  return cloud_conf("region = RegionOne\n[Route]\nrouter-id = " + router + "\n");
}

void RoutesTest::start(const std::string& router_id) {
  host.config.set_cloud_config(conf(router_id));
  provider = std::make_unique<testing::FakeComponent>(
      host, testing::plugin_of<Provider, testing::Dispatch::loop>(), "test");
  const Status status = provider->initialize();
  EXPECT_TRUE(status.ok()) << status.message();
  cloud.clear_log();
}

void RoutesTest::reset() {
  router()["routes"] = json::array();
  router()["tags"] = json::array();
  std::vector<std::string> names;
  for (int i = 0; i < made_; ++i) host.kube.remove("v1/nodes", "worker-" + std::to_string(i));
  std::vector<std::string> ids;
  for (const json& port : cloud.region().network.records("ports")) {
    if (port.at("name") == "worker") ids.push_back(port.at("id"));
  }
  for (const std::string& port : ids) cloud.region().network.remove("ports", port);
}

void RoutesTest::without(const std::vector<std::string>& extensions) {
  for (const std::string& alias : extensions) {
    std::erase(cloud.region().network.extensions, alias);
  }
}

std::vector<TestNode> RoutesTest::add_nodes(int count) {
  std::vector<TestNode> nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(
        add_node("worker-" + std::to_string(i), {"10.244." + std::to_string(i) + ".0/24"}));
  }
  return nodes;
}

TestNode RoutesTest::add_node(const std::string& name, const std::vector<std::string>& ranges) {
  const int last = 50 + std::stoi(name.substr(name.find('-') + 1));
  const bool dual = ranges.size() > 1;
  TestNode node;
  node.name = name;
  node.ranges = ranges;
  json fixed = json::array();
  const auto add_address = [&](const std::string& address) {
    fixed.push_back({{"ip_address", address}});
    node.addresses.push_back({"InternalIP", address});
  };
  add_address((dual ? "10.20.0." : "10.10.0.") + std::to_string(last));
  if (dual) add_address("fd00:20::" + std::to_string(last));
  node.server = "server-of-" + name;
  node.port = cloud.region().network.add("ports", facts.at("projects").at("demo"),
                                         {{"name", "worker"},
                                          {"network_id", id(dual ? "dual" : "private")},
                                          {"fixed_ips", fixed},
                                          {"device_id", node.server},
                                          {"device_owner", "compute:nova"}})["id"];
  put_node(node);
  return node;
}

void RoutesTest::put_node(const TestNode& node) {
  json object = {
      {"metadata", {{"name", node.name}, {"uid", "uid-" + node.name}}},
      {"spec", {{"providerID", "openstack:///" + node.server}, {"podCIDRs", node.ranges}}}};
  host.kube.put("v1/nodes", object.dump());
}

void RoutesTest::add_port(TestNode& node, const std::string& network, const std::string& address) {
  cloud.region().network.add("ports", facts.at("projects").at("demo"),
                             {{"name", "worker"},
                              {"network_id", network},
                              {"fixed_ips", json::array({{{"ip_address", address}}})},
                              {"device_id", node.server},
                              {"device_owner", "compute:nova"}});
  node.addresses.insert(node.addresses.begin(), {"InternalIP", address});
}

void RoutesTest::remove_node(const TestNode& node) {
  host.kube.remove("v1/nodes", node.name);
  cloud.region().network.remove("ports", node.port);
}

std::vector<Route> RoutesTest::additions(const std::vector<TestNode>& nodes) {
  std::vector<Route> routes;
  for (const TestNode& node : nodes) {
    for (const std::string& range : node.ranges) {
      Route& route = routes.emplace_back();
      route.destination_cidr = range;
      route.target_node = node.name;
      route.target_provider_id = "openstack:///" + node.server;
      route.target_addresses = node.addresses;
      route.owned = true;
    }
  }
  return routes;
}

json& RoutesTest::router() { return *cloud.region().network.records("routers").find(id("router")); }

void RoutesTest::add_route(const std::string& destination, const std::string& next_hop) {
  json& record = router();
  record["routes"].push_back({{"destination", destination}, {"nexthop", next_hop}});
  record["revision_number"] = record["revision_number"].get<int64_t>() + 1;
}

void RoutesTest::change_port(const TestNode& node, const json& members) {
  cloud.region().network.change_port(node.port, members);
}

std::string RoutesTest::routes() {
  std::vector<std::string> words;
  for (const json& route : router().at("routes")) {
    words.push_back(route.at("destination").get<std::string>() + ">" +
                    route.at("nexthop").get<std::string>());
  }
  return joined(std::move(words));
}

std::string RoutesTest::pairs(const TestNode& node) {
  std::vector<std::string> words;
  const json& port = *cloud.region().network.records("ports").find(node.port);
  for (const json& pair : port.at("allowed_address_pairs")) words.push_back(pair.at("ip_address"));
  return joined(std::move(words));
}

Result<std::vector<Route>> RoutesTest::try_list() {
  const auto table = provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  return provider->finish(
      provider->start("list", ccm::Routes::List{table, provider->ctx(), "kubernetes"}));
}

std::vector<Route> RoutesTest::list() {
  auto listed = try_list();
  EXPECT_TRUE(listed.ok()) << listed.status().message();
  if (!listed.ok()) return {};
  std::sort(listed->begin(), listed->end(), [](const Route& left, const Route& right) {
    return left.destination_cidr < right.destination_cidr;
  });
  return *std::move(listed);
}

std::vector<Route> RoutesTest::owned() {
  auto routes = list();
  std::erase_if(routes, [](const Route& route) { return !route.owned; });
  return routes;
}

std::string RoutesTest::apply(std::vector<Route> removals, std::vector<Route> additions) {
  const auto table = provider->interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  const auto applied = provider->finish(
      provider->start("apply", ccm::Routes::Apply{table, provider->ctx(), "kubernetes",
                                                  std::move(removals), std::move(additions)}));
  if (!applied.ok()) return word_of(applied.status());
  std::string words;
  for (const Status& status : *applied) words += (words.empty() ? "" : " ") + word_of(status);
  return words;
}

void RoutesTest::before_next(const std::string& method, const std::string& path,
                             std::function<void()> fn) {
  hook_method_ = method;
  hook_path_ = path;
  hook_ = std::move(fn);
}

void RoutesTest::lose_answer(const std::string& path, const std::string& method) {
  openstack_api::Fault fault;
  fault.method = method;
  fault.path = path;
  fault.lose_answer = true;
  cloud.faults.add(fault);
}

}  // namespace ccm::openstack
