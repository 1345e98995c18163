// The gate in front of deletions of Nodes, with a cloud, an API server and a clock that the test
// plays. "In every fault the count of wrongly deleted nodes is 0."
#include "plugin/deletion/node_deletions.hpp"

#include "../runtime/manual_timers.hpp"
#include "plugin/deletion/guarded_object_api.hpp"

#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <optional>
#include <set>

namespace ccm::plugin {
namespace {

using namespace std::chrono_literals;

struct FakeNode {
  std::string uid;
  std::string provider_id;
  std::string ready = "True";
  std::string annotation;
  int version = 1;
  bool cordoned = false;
  std::string taint{};
};

// The cluster: its cache and its live objects, which a test can make differ.
struct Cluster final : ObjectCache {
  static kube::ObjectPtr object(const std::string& name, const FakeNode& node) {
    const std::string text =
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":")" +
        node.uid + R"(","resourceVersion":")" + std::to_string(node.version) +
        R"(","annotations":{"cloud-controller-manager/allow-deletion":")" + node.annotation +
        R"("}},"spec":{"providerID":")" + node.provider_id + R"(","unschedulable":)" +
        (node.cordoned ? "true" : "false") + R"(,"taints":[{"key":")" + node.taint +
        R"("}]},"status":{"conditions":[{"type":"Ready","status":")" + node.ready + R"("}]}})";
    return *kube::Object::decode(text);
  }
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view name) const override {
    const auto found = nodes.find(std::string(name));
    return found == nodes.end() ? nullptr : object(found->first, found->second);
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    std::vector<kube::ObjectPtr> all;
    for (const auto& [name, node] : nodes) all.push_back(object(name, node));
    return all;
  }
  std::map<std::string, FakeNode> nodes;
};

struct Api final : ObjectApi {
  Api(Cluster& cached, runtime::Timers& clock) : cluster(cached), timers(clock) {}
  void answer(Result<std::string> result, Done done) {
    timers.after(0ms, [result = std::move(result), done = std::move(done)] { done(result); });
  }
  static Status not_found() { return Status(Code::not_found, ErrorClass::not_found, "404"); }
  void get(kube::Resource, std::string, std::string name, kube::CallOptions, Done done) override {
    ++gets;
    const auto other = live.find(name);
    const auto known = cluster.nodes.find(name);
    if (other == live.end() && known == cluster.nodes.end()) return answer(not_found(), done);
    const FakeNode& node = other != live.end() ? other->second : known->second;
    answer(Cluster::object(name, node)->json(), std::move(done));
  }
  void remove(kube::Resource, std::string, std::string name, kube::DeleteOptions options,
              kube::CallOptions, Done done) override {
    if (!remove_failures.empty()) {
      Status failure = remove_failures.back();
      remove_failures.pop_back();
      return answer(std::move(failure), std::move(done));
    }
    removed.push_back(name + " " + options.uid + " " + options.resource_version);
    cluster.nodes.erase(name);
    answer(std::string("{}"), std::move(done));
  }
  void create(kube::Resource, std::string, std::string, kube::WriteOptions, kube::CallOptions,
              Done) override {}
  void patch(kube::Resource, std::string, std::string, kube::PatchType, std::string,
             kube::WriteOptions, kube::CallOptions, Done) override {}
  Cluster& cluster;
  runtime::Timers& timers;
  std::map<std::string, FakeNode> live;  // where it differs from the cache
  std::vector<std::string> removed;
  std::vector<Status> remove_failures;
  int gets = 0;
};

struct Cloud final : MachineSource {
  explicit Cloud(runtime::Timers& clock) : timers(clock) {}
  [[nodiscard]] bool can_list() const override { return lists; }
  [[nodiscard]] bool can_describe() const override { return false; }
  [[nodiscard]] bool can_get() const override { return gets; }
  void list(Done done) override {
    ++listed;
    timers.after(0ms, [this, done = std::move(done)] {
      if (!list_failure.ok()) return done(list_failure);
      done(snapshot(listing ? *listing : machines));
    });
  }
  void describe(std::vector<MachineQuery>, Done) override {}
  void get(MachineQuery query, Done done) override {
    ++got;
    timers.after(0ms, [this, query, done = std::move(done)] {
      if (!get_failure.ok()) return done(get_failure);
      const auto found = machines.find(query.provider_id);
      if (found == machines.end()) {
        return done(Status(Code::not_found, ErrorClass::not_found, "no such machine"));
      }
      done(snapshot({*found}));
    });
  }
  using Machines = std::map<std::string, int32_t>;
  static Result<InstanceSnapshot::Ptr> snapshot(const Machines& machines) {
    std::vector<ccm_instance> instances;
    std::vector<const ccm_instance*> pointers;
    for (const auto& [id, state] : machines) {
      ccm_instance instance{};
      instance.size = sizeof(instance);
      instance.state = state;
      instance.provider_id = c_str(id);
      instances.push_back(instance);
    }
    for (const ccm_instance& instance : instances) pointers.push_back(&instance);
    const ccm_instance_list list{sizeof(list), 0, pointers.data(), pointers.size(), 0};
    return InstanceSnapshot::copy(&list);
  }
  runtime::Timers& timers;
  Machines machines;
  std::optional<Machines> listing;  // when it differs
  Status list_failure;
  Status get_failure;
  bool lists = true;
  bool gets = true;
  int listed = 0;
  int got = 0;
};

class NodeDeletionsTest : public testing::Test {
 protected:
  NodeDeletionsTest() { start(); }
  void start(bool watched = true) {
    deletions_.emplace(
        NodeDeletions::Dependencies{cluster_, timers_, [this] { return leading_; }, telemetry_},
        runtime::BrakeOptions{});
    BrokerOptions options;
    options.provider_id_prefixes = {"cloud://"};
    broker_ = std::make_shared<InstancesBroker>(cloud_, timers_, options);
    deletions_->connect(broker_);
    deletions_->begin();
    if (watched) timers_.advance(11min);
  }
  // Nodes n0, n1, ... with machines; the first `dead` of them not Ready and without one.
  void cluster(int count, int dead) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "n" + std::to_string(i);
      cluster_.nodes[name] = {"uid-" + name, "cloud://" + name, i < dead ? "Unknown" : "True", ""};
      if (i >= dead) cloud_.machines["cloud://" + name] = CCM_INSTANCE_RUNNING;
    }
  }
  std::shared_ptr<Status> ask(const std::string& name, std::chrono::milliseconds limit = 60s) {
    auto outcome = std::make_shared<Status>(Code::unknown, "still waits");
    kube::DeleteOptions options;
    options.uid = "uid-" + name;
    kube::CallOptions call;
    call.timeout = limit;
    auto done = [outcome](const Result<std::string>& ended) { *outcome = ended.status(); };
    guarded()->remove(kube::resources::nodes(), {}, name, options, call, done);
    return outcome;
  }
  std::shared_ptr<ObjectApi> guarded() { return guard_nodes(api_, *deletions_); }
  std::string remove(const std::string& name) {
    const auto outcome = ask(name);
    timers_.advance(100ms);
    return outcome->ok() ? "deleted" : outcome->reason();
  }
  std::size_t remove_all(int count) {
    std::vector<std::shared_ptr<Status>> outcomes;
    for (int i = 0; i < count; ++i) outcomes.push_back(ask("n" + std::to_string(i)));
    timers_.advance(100ms);
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [](const auto& end) { return end->ok(); }));
  }
  std::string metrics() const {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

  runtime::ManualTimers timers_;
  Cluster cluster_;
  std::shared_ptr<Api> api_ = std::make_shared<Api>(cluster_, timers_);
  Cloud cloud_{timers_};
  prometheus::Registry registry_;
  std::vector<std::string> events_;
  DeletionTelemetry telemetry_{
      registry_,
      [this](const std::string&, const kube::ObjectReference& about, kube::EventType type,
             const std::string& reason, const std::string&) {
        events_.push_back((type == kube::EventType::warning ? "Warning " : "Normal ") + reason +
                          " " + about.name);
      },
      "nodes"};
  std::shared_ptr<InstancesBroker> broker_;
  std::optional<NodeDeletions> deletions_;
  bool leading_ = true;
};

TEST_F(NodeDeletionsTest, AMachineThatIsGoneLetsItsNodeGo) {
  cluster(3, 1);
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(api_->removed, std::vector<std::string>{"n0 uid-n0 1"}) << "both preconditions";
  EXPECT_EQ(cloud_.listed, 1);
  EXPECT_EQ(cloud_.got, 2) << "the machine and the canary";
  EXPECT_NE(metrics().find(R"(decision="deleted",kind="nodes")"), std::string::npos);
}

TEST_F(NodeDeletionsTest, WhatItDeletedIsKnownForAWindow) {
  cluster(3, 1);
  EXPECT_FALSE(deletions_->deleted("n0"));
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_TRUE(deletions_->deleted("n0"));
  EXPECT_FALSE(deletions_->deleted("n1"));
  cluster_.nodes["n0"] = {"another", "cloud://n0", "True", ""};
  EXPECT_FALSE(deletions_->deleted("n0")) << "there is one of that name again";
  cluster_.nodes.erase("n0");
  timers_.advance(11min);
  EXPECT_FALSE(deletions_->deleted("n0"));
}

TEST_F(NodeDeletionsTest, TheSecondLookBeginsAfterTheRequest) {
  cluster(3, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  broker_->refresh([](const auto&) {});  // a look that runs already
  const auto outcome = ask("n0");
  cloud_.machines.erase("cloud://n0");
  timers_.advance(100ms);
  EXPECT_TRUE(outcome->ok());
  EXPECT_EQ(cloud_.listed, 2);
}

TEST_F(NodeDeletionsTest, WhatIsListedOrFoundIsNotDeleted) {
  cluster(3, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_SHUTDOWN;
  EXPECT_EQ(remove("n0"), "MachineExists");
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_UNKNOWN;
  EXPECT_EQ(remove("n0"), "MachineExists");
  // Half a list lacks it, the look-up finds it.
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  cloud_.listing = cloud_.machines;
  cloud_.listing->erase("cloud://n0");
  EXPECT_EQ(remove("n0"), "MachineExists");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, AnEmptyListingIsBlind) {
  cluster(3, 1);
  cloud_.listing = Cloud::Machines{};
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  EXPECT_TRUE(deletions_->report().blind);
  EXPECT_EQ(events_, std::vector<std::string>{"Warning DeletionHeld n0"});
  cloud_.listing.reset();
  timers_.advance(10s);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, LookUpsThatFindNothingAtAllAreBlind) {
  cluster(3, 1);
  cloud_.get_failure = Status(Code::not_found, ErrorClass::not_found, "no rights, so not found");
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, ACloudThatDoesNotAnswerDeletesNothing) {
  cluster(3, 1);
  cloud_.list_failure = Status(Code::unavailable, ErrorClass::unavailable, "500");
  EXPECT_EQ(remove("n0"), "SecondLookFailed");
  cloud_.list_failure = {};
  cloud_.get_failure = Status(Code::unauthenticated, ErrorClass::auth, "401");
  EXPECT_EQ(remove("n0"), "SecondLookFailed");
  EXPECT_TRUE(api_->removed.empty());
  EXPECT_EQ(deletions_->report().deleted, 0u) << "given back";
}

TEST_F(NodeDeletionsTest, SixtyPercentAtOnceAreAllHeld) {
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_TRUE(api_->removed.empty());
  EXPECT_EQ(cloud_.got, 0) << "no look-ups for what is held anyway";
  EXPECT_EQ(api_->gets, 0);
  EXPECT_TRUE(deletions_->report().engaged);
  EXPECT_EQ(events_.size(), 6u);
  EXPECT_NE(metrics().find("ccm_deletion_brake_held{kind=\"nodes\"} 6"), std::string::npos);
  EXPECT_EQ(deletions_->status_text(),
            "engaged, 6 held (n0, n1, n2, n3, n4 and 1 more): 6 of 10 nodes are missing in the "
            "cloud, 0 were deleted within 10m0s, 2 may be; to let one go: kubectl annotate node "
            "NAME cloud-controller-manager/allow-deletion=true");
  for (int second = 0; second < 9; ++second) {
    remove_all(6);
    timers_.advance(900ms);
  }
  EXPECT_EQ(cloud_.listed, 1) << "asking again costs nothing for a while";
  timers_.advance(2s);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_EQ(cloud_.listed, 2);
}

TEST_F(NodeDeletionsTest, EventsAreNotOneForEachOfThousands) {
  cluster(100, 60);
  EXPECT_EQ(remove_all(60), 0u);
  EXPECT_EQ(events_.size(), 10u);
}

// Whoever takes machines away says so first: autoscalers by a taint, people by kubectl drain.
TEST_F(NodeDeletionsTest, AnAnnouncedScaleDownOfASmallClusterPasses) {
  const char* taints[] = {"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", ""};
  for (const int count : {4, 6, 11}) {
    start();
    cluster(count, 3);
    for (int i = 0; i < 3; ++i) {
      FakeNode& node = cluster_.nodes["n" + std::to_string(i)];
      node.taint = taints[i];
      node.cordoned = node.taint.empty();
    }
    EXPECT_EQ(remove_all(3), 3u) << count;
    EXPECT_EQ(deletions_->report().deleted, 0u) << "the limit is left for what is not announced";
    cluster_.nodes.clear();
    cloud_.machines.clear();
  }
  EXPECT_TRUE(events_.empty());
  EXPECT_NE(metrics().find(R"(decision="announced",kind="nodes"} 9)"), std::string::npos);
}

TEST_F(NodeDeletionsTest, AllOfThreeGoWhenAnotherMachineVouchesForTheListing) {
  cluster(3, 0);
  cloud_.machines["cloud://database"] = CCM_INSTANCE_RUNNING;
  broker_->refresh([](const auto&) {});
  timers_.advance(20s);
  for (auto& [name, node] : cluster_.nodes) {
    node.cordoned = true;
    node.ready = "Unknown";
    cloud_.machines.erase("cloud://" + name);
  }
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(NodeDeletionsTest, ThreeOfSixThatNobodyAnnouncedAreHeld) {
  cluster(6, 3);
  EXPECT_EQ(remove_all(3), 0u);
  // What drains broken nodes by itself must not release them.
  for (auto& [name, node] : cluster_.nodes) node.cordoned = true;
  timers_.advance(1min);
  EXPECT_EQ(remove_all(3), 0u);
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, HalfAListHoldsDrainedNodesToo) {
  cluster(6, 0);
  for (const char* name : {"n0", "n1"}) {
    cluster_.nodes[name].cordoned = true;  // for a reboot
    cluster_.nodes[name].ready = "Unknown";
  }
  cloud_.listing = Cloud::Machines{{"cloud://n5", CCM_INSTANCE_RUNNING}};
  EXPECT_EQ(remove_all(2), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
  cloud_.listing.reset();
  timers_.advance(11s);
  EXPECT_EQ(remove("n0"), "MachineExists");
}

// Wrong about one machine, it is not believed about those that somebody drained for a reboot.
TEST_F(NodeDeletionsTest, AListingThatLacksAReadyNodeDeletesNoDrainedOnes) {
  cluster(6, 2);
  for (const char* name : {"n0", "n1"}) cluster_.nodes[name].cordoned = true;
  cluster_.nodes["n2"].ready = "True";
  cloud_.machines.erase("cloud://n2");
  EXPECT_EQ(remove_all(2), 0u);
  EXPECT_NE(deletions_->status_text().find("(2 cordoned or tainted before, counted since a Ready "
                                           "one is missing, too)"),
            std::string::npos);
  cluster_.nodes["n2"].ready = "Unknown";
  timers_.advance(11s);
  EXPECT_EQ(remove_all(2), 2u);
}

TEST_F(NodeDeletionsTest, WhatIsHeldIsToldWhereverOneLooks) {
  start(false);
  EXPECT_EQ(deletions_->status_text(), "released: no deletion of nodes was asked for yet");
  cluster(40, 3);
  EXPECT_EQ(remove_all(3), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
  EXPECT_EQ(deletions_->report().held, 3u);
  EXPECT_EQ(deletions_->status_text(),
            "engaged, 3 held (n0, n1, n2): 3 of 40 nodes are missing in the cloud, 0 were deleted "
            "within 10m0s, 2 may be until this manager has led for 10m0s; to let one go: kubectl "
            "annotate node NAME cloud-controller-manager/allow-deletion=true");
  EXPECT_NE(metrics().find("ccm_deletion_brake_engaged{kind=\"nodes\"} 1"), std::string::npos);
  EXPECT_NE(metrics().find("ccm_deletion_brake_held{kind=\"nodes\"} 3"), std::string::npos);
  EXPECT_EQ(events_.size(), 3u);
}

TEST_F(NodeDeletionsTest, TheBrakeLetsGoWhenTheMachinesAreBack) {
  cluster(10, 6);
  remove_all(6);
  for (int i = 0; i < 6; ++i) {
    cluster_.nodes["n" + std::to_string(i)].ready = "True";
    cloud_.machines["cloud://n" + std::to_string(i)] = CCM_INSTANCE_RUNNING;
  }
  timers_.advance(1min);
  broker_->refresh([](const auto&) {});  // anybody's listing: no deletion is asked for any more
  timers_.advance(1s);
  EXPECT_FALSE(deletions_->report().engaged);
  EXPECT_EQ(deletions_->status_text(),
            "released: 0 of 10 nodes are missing in the cloud, 0 were deleted within 10m0s, 2 may "
            "be");
  EXPECT_NE(metrics().find("ccm_deletion_brake_engaged{kind=\"nodes\"} 0"), std::string::npos);
}

// Nodes that are still Ready count too: they say that the listing lacks too much.
TEST_F(NodeDeletionsTest, HalfAListHoldsTheOneNodeThatIsDead) {
  cluster(10, 1);
  cloud_.listing =
      Cloud::Machines{{"cloud://n8", CCM_INSTANCE_RUNNING}, {"cloud://n9", CCM_INSTANCE_RUNNING}};
  EXPECT_EQ(remove("n0"), "DeletionHeld");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, HeldNodesGoAfterTheHoldAtTheLimitsPace) {
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  timers_.advance(31min);
  EXPECT_EQ(remove_all(6), 2u);
  EXPECT_EQ(remove_all(6), 0u);
}

TEST_F(NodeDeletionsTest, AnAnnotationReleasesOneNodeAtOnce) {
  cluster(10, 6);
  remove_all(6);
  cluster_.nodes["n2"].annotation = "true";
  EXPECT_EQ(remove("n2"), "deleted");
  EXPECT_EQ(remove("n3"), "DeletionHeld");
  // Not what is there, whatever the annotation says.
  cluster_.nodes["n4"].annotation = "true";
  cloud_.machines["cloud://n4"] = CCM_INSTANCE_RUNNING;
  EXPECT_EQ(remove("n4"), "MachineExists");
  EXPECT_EQ(api_->removed.size(), 1u);
}

TEST_F(NodeDeletionsTest, ASpotFleetThatIsReportedTerminatedGoesAtOnce) {
  cluster(20, 18);
  for (int i = 0; i < 18; ++i) {
    cloud_.machines["cloud://n" + std::to_string(i)] = CCM_INSTANCE_TERMINATED;
  }
  EXPECT_EQ(remove_all(18), 18u);
  EXPECT_EQ(deletions_->report().deleted, 0u) << "not counted against the limit";
  cluster_.nodes["n18"].ready = "False";
  cloud_.machines.erase("cloud://n18");
  EXPECT_EQ(remove("n18"), "deleted");
}

TEST_F(NodeDeletionsTest, AReadyNodeIsNeverDeleted) {
  cluster(3, 1);
  cluster_.nodes["n0"].ready = "True";
  EXPECT_EQ(remove("n0"), "NodeIsReady");
  EXPECT_EQ(cloud_.listed, 0);
  cluster_.nodes["n0"].ready = "Unknown";
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].ready = "True";  // the cache lags
  EXPECT_EQ(remove("n0"), "NodeIsReady");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, TRAP_28_ANodeReCreatedUnderItsNameIsLeftAlone) {
  cluster(3, 1);
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].uid = "another";
  EXPECT_EQ(remove("n0"), "Conflict");
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].provider_id = "cloud://another";
  EXPECT_EQ(remove("n0"), "Conflict");
  cluster_.nodes["n0"].uid = "another";
  EXPECT_EQ(remove("n0"), "Conflict") << "seen in the cache already";
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, AChangeBetweenReadAndDeleteIsReadAgain) {
  cluster(3, 1);
  api_->remove_failures = {Status(Code::aborted, ErrorClass::conflict, "409")};
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(api_->gets, 2);
  cluster(3, 1);
  api_->remove_failures.assign(5, Status(Code::aborted, ErrorClass::conflict, "409"));
  const auto outcome = ask("n0");
  timers_.advance(100ms);
  EXPECT_EQ(outcome->error_class(), ErrorClass::conflict) << "not for ever";
}

TEST_F(NodeDeletionsTest, API_70_ADeletionWhoseAnswerIsLostIsAskedForAgain) {
  cluster(3, 1);
  api_->remove_failures = {Status(Code::unavailable, ErrorClass::unavailable, "reset")};
  const auto lost = ask("n0");
  timers_.advance(100ms);
  EXPECT_EQ(lost->error_class(), ErrorClass::unavailable);
  EXPECT_EQ(deletions_->report().deleted, 1u) << "it may have happened";
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(deletions_->report().deleted, 1u);
  EXPECT_TRUE(events_.empty());
}

TEST_F(NodeDeletionsTest, ForeignNodesAreLeftAlone) {
  cluster(3, 1);
  cluster_.nodes["n0"].provider_id = "other://n0";
  EXPECT_EQ(remove("n0"), "ForeignProviderID");
  EXPECT_EQ(cloud_.listed, 0);
}

TEST_F(NodeDeletionsTest, ANodeThatNeverHadAMachineIsLeftAlone) {
  cluster(3, 1);
  cluster_.nodes["n0"].provider_id = "";
  EXPECT_EQ(remove("n0"), "NotOfThisCloud");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, WithoutTheLeaseNothingIsDeleted) {
  cluster(3, 1);
  const auto outcome = ask("n0");
  leading_ = false;
  timers_.advance(100ms);
  EXPECT_EQ(outcome->reason(), "NotLeading");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, WhoeverGaveUpDeletesNothingLater) {
  cluster(3, 1);
  const auto outcome = ask("n0", 1ms);
  timers_.skip(2ms);
  timers_.advance(100ms);
  EXPECT_EQ(outcome->code(), Code::deadline_exceeded);
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, OneLookServesAllThatAskTogether) {
  cluster(40, 10);
  EXPECT_EQ(remove_all(10), 10u);
  EXPECT_EQ(cloud_.listed, 1);
  EXPECT_EQ(cloud_.got, 11);
}

TEST_F(NodeDeletionsTest, AOneNodeClusterNeedsAWitness) {
  cluster(1, 1);
  cloud_.machines["cloud://database"] = CCM_INSTANCE_RUNNING;
  EXPECT_EQ(remove("n0"), "CloudViewBlind") << "this process never saw them side by side";
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  broker_->refresh([](const auto&) {});
  timers_.advance(20s);
  cloud_.machines.erase("cloud://n0");
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AOneNodeClusterWithoutAnyOtherMachineIsHeld) {
  cluster(1, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  broker_->refresh([](const auto&) {});
  timers_.advance(1s);
  cloud_.machines.clear();
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  cluster_.nodes["n0"].annotation = "true";
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AManagerThatJustStartedLetsTwoGo) {
  start(false);
  cluster(40, 3);
  EXPECT_EQ(remove_all(3), 0u);
  timers_.advance(11min);
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyListsIsLookedAtByListing) {
  cloud_.gets = false;
  cluster(3, 1);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyGetsNeedsACanaryToo) {
  cloud_.lists = false;
  cluster(10, 1);
  cloud_.get_failure = Status(Code::not_found, ErrorClass::not_found, "no rights");
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  cloud_.get_failure = {};
  timers_.advance(11s);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyGetsIsHeldWhenManyAreGone) {
  cloud_.lists = false;
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
}

TEST_F(NodeDeletionsTest, OtherResourcesPass) {
  std::optional<Status> outcome;
  kube::Resource services = kube::resources::services();
  guarded()->remove(services, "default", "web", {}, {},
                    [&](const Result<std::string>& ended) { outcome = ended.status(); });
  timers_.advance(0ms);
  EXPECT_TRUE(outcome && outcome->ok());
  EXPECT_EQ(cloud_.listed, 0);
}

TEST_F(NodeDeletionsTest, WithoutACloudNoNodeIsDeleted) {
  deletions_.emplace(
      NodeDeletions::Dependencies{cluster_, timers_, [] { return true; }, telemetry_},
      runtime::BrakeOptions{});
  cluster(3, 1);
  const auto outcome = ask("n0");
  timers_.advance(0ms);
  EXPECT_EQ(outcome->error_class(), ErrorClass::unsupported);
}

}  // namespace
}  // namespace ccm::plugin
