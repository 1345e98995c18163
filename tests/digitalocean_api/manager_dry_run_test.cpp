// A dry run of the real manager on a cluster of DigitalOcean's own manager.
#include "manager_fixture.hpp"

namespace ccm::digitalocean_api {
namespace {

using support::eventually;
using support::patience;

class ManagerDryRunTest : public ManagerTest {
 protected:
  // As DigitalOcean's manager leaves them: initialised, with the addresses of their droplets.
  void initialised_nodes() {
    two_nodes();
    start("cloud-node-controller");
    ASSERT_TRUE(eventually(patience(), [&] { return initialised("node-") == 2; }));
    EXPECT_EQ(manager_->stop().code, 0);
  }
  // A Service and its load balancer, as that manager leaves them.
  void taken_service(const std::string& name) {
    serve(name);
    const std::string path = "/api/v1/namespaces/default/services/" + name;
    std::string balancer = "a" + api_.get(path).body["metadata"]["uid"].get<std::string>();
    std::erase(balancer, '-');
    json theirs = go_load_balancer(balancer.substr(0, 32));
    theirs["ip"] = "198.51.100.78";
    std::string id;
    cloud_.with([&](Api& api) { id = api.add_load_balancer(theirs)["id"]; });
    const json annotations = {
        {"kubernetes.digitalocean.com/load-balancer-id", id},
        {"service.beta.kubernetes.io/do-loadbalancer-type", "REGIONAL_NETWORK"}};
    const json metadata = {{"annotations", annotations},
                           {"finalizers", {"service.kubernetes.io/load-balancer-cleanup"}}};
    const json ingress = json::array({{{"ip", "198.51.100.78"}, {"ipMode", "VIP"}}});
    ASSERT_TRUE(api_.patch(path, support::kMergePatch, {{"metadata", metadata}}).ok());
    ASSERT_TRUE(api_.patch(path + "/status", support::kMergePatch,
                           {{"status", {{"loadBalancer", {{"ingress", ingress}}}}}})
                    .ok());
  }
  int dry_run(const std::vector<std::string>& more = {}) {
    int64_t writes = 0;
    cloud_.with([&](Api& api) { writes = api.writes(); });
    std::vector<std::string> flags = {"--dry-run"};
    flags.insert(flags.end(), more.begin(), more.end());
    start("*", {}, flags);
    const auto ended = manager_->wait(patience());
    cloud_.with([&](Api& api) { EXPECT_EQ(api.writes(), writes); });
    return ended ? ended->code : -1;
  }
};

TEST_F(ManagerDryRunTest, DO_97_DO_358_NothingWouldChangeAfterDigitalOceansManager) {
  initialised_nodes();
  taken_service("web");
  EXPECT_EQ(dry_run(), 0) << manager_->log();
  EXPECT_NE(manager_->log().find("\n0 changes\n"), std::string::npos) << manager_->log();
}

TEST_F(ManagerDryRunTest, WhatItPrintsIsWhatARealRunDoes) {
  initialised_nodes();
  taken_service("web");
  cloud_.with([](Api& api) { api.generate_droplets(5002, 1, "node-"); });
  join(5002, "node-2", true);
  serve("new");
  EXPECT_EQ(dry_run({"--dry-run-output=json"}), 2) << manager_->log();
  const std::string log = manager_->log();
  const auto begin = log.find("{\n");
  const json plan = json::parse(log.substr(begin, log.rfind("\n}") + 2 - begin));
  EXPECT_EQ(plan.at("open"), json::array()) << plan;
  // The new droplet joins the load balancer that is there, in the same plan that initialises its
  // Node.
  std::vector<std::string> writes;
  for (const json& change : plan.at("changes")) {
    const std::string action = change.at("action");
    if (action.find("http") == std::string::npos) continue;
    writes.push_back(action.substr(0, action.find(' ')) + " of " +
                     change.at("object").get<std::string>());
    EXPECT_NE(change.at("body").dump().find("5002"), std::string::npos) << change;
  }
  std::sort(writes.begin(), writes.end());
  EXPECT_EQ(writes, (std::vector<std::string>{"POST of default/new", "POST of default/web"}))
      << plan;

  int64_t before = 0;
  cloud_.with([&](Api& api) { before = api.writes(); });
  start("*");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("new"); }));
  ASSERT_TRUE(eventually(patience(), [&] { return initialised("node-") == 3; }));
  EXPECT_TRUE(eventually(patience(), [&] {
    int64_t after = 0;
    cloud_.with([&](Api& api) { after = api.writes(); });
    return after >= before + 2;
  }));
}

}  // namespace
}  // namespace ccm::digitalocean_api
