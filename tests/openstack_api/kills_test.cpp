// SIGKILL at random moments while Services of type LoadBalancer come, change and go: after the last
// one all is as if there had been none. CCM_TEST_KILLS says how many (10), CCM_TEST_SEED repeats a
// run, as far as the processes' own timing allows.
#include "openstack_api/ask.hpp"
#include "openstack_api/changing_services.hpp"
#include "openstack_api/manager_fixture.hpp"

#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>

namespace ccm::openstack_api {
namespace {

constexpr const char* kServices = "/api/v1/namespaces/default/services";
constexpr const char* kBalancerId = "loadbalancer.openstack.org/load-balancer-id";
constexpr int kNames = 12;
// Shares its load balancer with kGuest. It is not internal: then a guest could get no floating IP.
constexpr int kOwner = 8;
constexpr int kGuest = 11;
constexpr int kNodes = 3;

unsigned number_of(const char* variable, unsigned otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : otherwise;
}

std::string name_of(int number) { return "service-" + std::to_string(number); }

class OpenStackKillsTest : public OpenStackManagerTest {
 protected:
  void start_manager() {
    start("cloud-node-controller,service-lb-controller", {"--cluster-name=kubernetes"});
  }

  // Objects of another cluster with the same names, and a user's.
  void make_foreign_objects(Cloud& cloud) {
    const std::string token = token_of(cloud, "demo");
    const json& ids = cloud_.facts().at("ids");
    for (const char* name : {"kube_service_other_default_service-0", "service-1"}) {
      const bool of_manager = std::string(name).starts_with("kube_");
      const json tags = of_manager ? json{name, "ccm-service:other"} : json::array();
      const json member = {{"address", "10.10.0.250"}, {"protocol_port", 30'000}};
      const json pool = {{"name", "pool"},
                         {"protocol", "TCP"},
                         {"lb_algorithm", "ROUND_ROBIN"},
                         {"members", json::array({member})}};
      const json listener = {
          {"protocol", "TCP"}, {"protocol_port", 80}, {"tags", tags}, {"default_pool", pool}};
      const json made = ask(cloud, "POST", "/load-balancer/v2.0/lbaas/loadbalancers",
                            {{"loadbalancer",
                              {{"name", name},
                               {"tags", tags},
                               {"vip_subnet_id", ids.at("private-v4")},
                               {"listeners", json::array({listener})}}}},
                            token);
      ask(cloud, "POST", "/networking/v2.0/floatingips",
          {{"floatingip",
            {{"floating_network_id", ids.at("public")},
             {"port_id", made.at("loadbalancer").at("vip_port_id")},
             {"description",
              "Floating IP for Kubernetes external service default/service-0 from "
              "cluster other"}}}},
          token);
    }
    ask(cloud, "POST", "/networking/v2.0/floatingips",
        {{"floatingip", {{"floating_network_id", ids.at("public")}}}}, token);
    const json group =
        ask(cloud, "POST", "/networking/v2.0/security-groups",
            {{"security_group", {{"name", "lb-sg-other-default-service-0"}}}}, token);
    json& port = *records_of_ports(cloud).begin();
    port["security_groups"].push_back(group.at("security_group").at("id"));
  }
  static Records& records_of_ports(Cloud& cloud) { return cloud.region().network.records("ports"); }

  void put(int number) {
    const std::string name = name_of(number);
    auto place = wanted_.find(name);
    if (place == wanted_.end()) {
      WantedService service = service_of(number);
      if (number == kGuest) service.shared_id = id_of(name_of(kOwner));
      const auto made = api_.create(kServices, service.object(name));
      if (made.status == 409) return;  // the one before it is still being deleted
      ASSERT_EQ(made.status, 201) << made.http.body;
      wanted_[name] = service;
      return;
    }
    place->second.change(random_);
    const auto changed = api_.patch(std::string(kServices) + "/" + name, support::kMergePatch,
                                    place->second.patch());
    ASSERT_EQ(changed.status, 200) << changed.http.body;
  }
  void drop(int number) {
    if (wanted_.erase(name_of(number)) == 0) return;
    const auto removed = api_.remove(std::string(kServices) + "/" + name_of(number));
    ASSERT_EQ(removed.status, 200) << removed.http.body;
  }
  std::string id_of(const std::string& name) {
    const json service = api_.get(std::string(kServices) + "/" + name).body;
    return service.value("metadata", json::object())
        .value("annotations", json::object())
        .value(kBalancerId, "");
  }

  void change_something() {
    const int number = static_cast<int>(random_() % kNames);
    if (random_() % 4 == 0) {
      drop(number);
    } else {
      put(number);
    }
  }

  std::map<std::string, json> services() {
    std::map<std::string, json> found;
    const json listed = api_.get(kServices).body;
    for (const json& service : listed.at("items")) {
      if (service.at("spec").value("type", "") != "LoadBalancer") continue;
      found[service.at("metadata").at("name")] = service;
    }
    return found;
  }
  std::string fault(const Foreign& foreign) {
    const auto existing = services();
    std::string found;
    cloud_.with(
        [&](Cloud& cloud) { found = cloud_fault(cloud, foreign, wanted_, existing, kNodes); });
    return found;
  }

  void strike() {
    static constexpr unsigned kLongest[] = {50, 300, 1'000, 2'000};
    const unsigned longest = kLongest[random_() % std::size(kLongest)];
    for (unsigned left = random_() % longest * static_cast<unsigned>(support::slowdown());;) {
      const unsigned step = std::min(left, 100U);
      std::this_thread::sleep_for(milliseconds(step));  // a moment by chance is the point here
      left -= step;
      if (left == 0) break;
      if (random_() % 3 == 0) change_something();
    }
    change_something();
    manager_->send(SIGKILL);
    const auto ended = manager_->wait(support::patience());
    ASSERT_TRUE(ended);
    ASSERT_EQ(ended->signal, SIGKILL) << tail(manager_->log());
    if (random_() % 2 == 0) change_something();  // while none runs
  }

  std::mt19937 random_;
  std::map<std::string, WantedService> wanted_;
};

TEST_F(OpenStackKillsTest, OS_217_229_296_384_KillsAtRandomDoubleNothingAndLeaveNothing) {
  const unsigned seed = number_of("CCM_TEST_SEED", std::random_device{}());
  const unsigned kills = number_of("CCM_TEST_KILLS", 10);
  std::cerr << "CCM_TEST_SEED=" << seed << " CCM_TEST_KILLS=" << kills << "\n";
  random_.seed(seed);
  const auto ids = add_servers("worker-", kNodes, "private");
  for (int i = 0; i < kNodes; ++i) join("worker-" + std::to_string(i), "openstack:///" + ids[i]);
  std::optional<Foreign> foreign;
  cloud_.with([&](Cloud& cloud) {
    make_foreign_objects(cloud);
    foreign.emplace(cloud);
    for (const char* resource : {"security_group", "security_group_rule"}) {
      cloud.region().network.set_quota(cloud_.facts().at("projects").at("demo"), resource, -1);
    }
    cloud.latency = milliseconds(10);
    LoadBalancing& octavia = cloud.region().load_balancing;
    octavia.create_time = milliseconds(300);
    octavia.update_time = milliseconds(100);
    octavia.delete_time = milliseconds(200);
  });
  write_conf("secret", "[LoadBalancer]\nmanage-security-groups = true\ncreate-monitor = true\n");
  start_manager();
  for (int number = 0; number < kNames; ++number) put(number);
  for (unsigned kill = 0; kill < kills && !HasFailure(); ++kill) {
    strike();
    start_manager();
  }
  if (HasFatalFailure()) return;
  std::string wrong;
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] {
                                    wrong = fault(*foreign);
                                    return wrong.empty();
                                  }))
      << wrong << "\n"
      << tail(manager_->log());

  // It stays so, and a last manager has nothing to write.
  manager_->stop();
  cloud_.with([](Cloud& cloud) { cloud.clear_log(); });
  start_manager();
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    int64_t looked = 0;
    cloud_.with([&](Cloud& cloud) { looked = cloud.calls("GET", "/security-group-rules"); });
    return looked >= static_cast<int64_t>(wanted_.size());
  }));
  cloud_.with([](Cloud& cloud) { EXPECT_EQ(cloud.writes(), 0); });
  EXPECT_EQ(fault(*foreign), "");
  std::cerr << wanted_.size() << " Services at the end\n";
}

}  // namespace
}  // namespace ccm::openstack_api
