// SIGKILL at random moments while Services of type LoadBalancer come, change and go: nothing is
// there twice, and after the last one all is as if there had been none. CCM_TEST_KILLS says how
// many (8), CCM_TEST_SEED repeats a run, as far as the processes' own timing allows.
#include "aws_api/manager_fixture.hpp"

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>

namespace ccm::aws_api {
namespace {

constexpr int kServices = 6;

unsigned number_of(const char* variable, unsigned otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : otherwise;
}

class AwsKillsTest : public AwsManagerTest {
 protected:
  AwsKillsTest() {
    // A killed manager has no time to fetch an answer: every third write's is lost as well.
    cloud_.with([](World& world) {
      for (const char* action : {"CreateLoadBalancer", "CreateTargetGroup", "CreateListener",
                                 "AuthorizeSecurityGroupIngress", "DeleteTargetGroup"}) {
        world.balancing.faults.push_back(
            {action, {503, "ServiceUnavailable", "the answer is lost"}, 2, true});
      }
    });
  }
  void start_manager() { start("cloud-node-controller,service-lb-controller"); }
  static std::string path_of(const std::string& name) {
    return std::string(kServicesPath) + "/" + name;
  }
  // One step of a user.
  void change_something(std::mt19937& random) {
    const int number = static_cast<int>(random() % kServices);
    const auto place = present_.find(number);
    if (place == present_.end()) {
      json annotations = json::object();
      if (number % 2 == 0) annotations[kTypeAnnotation] = "nlb";
      // Its predecessor may still wait for a manager, with its name and its port.
      const std::string name = "service-" + std::to_string(++made_);
      serve(name, 30'000 + 5 * (made_ % 500), annotations);
      present_[number] = name;
    } else if (random() % 3 == 0) {
      EXPECT_EQ(api_.remove(path_of(place->second)).status, 200);
      present_.erase(place);
    } else {
      const int port = 8'000 + static_cast<int>(random() % 3);
      const json ports = json::array({{{"name", "p80"}, {"port", 80}, {"protocol", "TCP"}},
                                      {{"name", "more"}, {"port", port}, {"protocol", "TCP"}}});
      api_.patch(path_of(place->second), support::kMergePatch, {{"spec", {{"ports", ports}}}});
    }
  }
  bool all_have_names() {
    for (const auto& [number, name] : present_) {
      if (hostname(name).empty()) return false;
    }
    return true;
  }

  std::string parts_left() {
    std::string text;
    cloud_.with([&](World& world) { text = describe_parts(world); });
    return text;
  }

  std::map<int, std::string> present_;  // names of Services, by number
  int made_ = 0;
};

TEST_F(AwsKillsTest, Issue43_NothingIsDoubledOrLeftBehind) {
  const unsigned seed = number_of("CCM_TEST_SEED", std::random_device()());
  std::cout << "CCM_TEST_SEED=" << seed << std::endl;
  std::mt19937 random(seed);
  join_nodes(3);
  for (unsigned kill = number_of("CCM_TEST_KILLS", 8); kill > 0; --kill) {
    start_manager();
    for (unsigned step = random() % 4; step < 4; ++step) {
      change_something(random);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 900));
    manager_->send(SIGKILL);
    ASSERT_TRUE(manager_->wait(support::patience()));
  }
  start_manager();
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return all_have_names(); }))
      << log_tail();
  EXPECT_TRUE(cloud_comes_to([&](World& world) {
    return world.balancing.networks.size() + world.balancing.classics.size() == present_.size();
  })) << log_tail();
  // A name or a port is there once.
  cloud_.with([](World& world) {
    std::set<std::string> names;
    for (const auto& [arn, network] : world.balancing.networks) names.insert(network.name);
    EXPECT_EQ(names.size(), world.balancing.networks.size());
    for (const auto& [arn, group] : world.balancing.targets) {
      EXPECT_EQ(group.tags.count("kubernetes.io/service-name"), 1U);
    }
  });
  for (const auto& [number, name] : present_) {
    EXPECT_EQ(api_.remove(path_of(name)).status, 200);
  }
  EXPECT_TRUE(cloud_comes_to([](World& world) { return parts_of_load_balancers(world) == 0; }))
      << parts_left() << log_tail();
}

}  // namespace
}  // namespace ccm::aws_api
