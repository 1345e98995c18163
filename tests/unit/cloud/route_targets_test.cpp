// To which Nodes and instances routes may lead, whatever kubelets write about their Nodes.
#include "broker_fixture.hpp"
#include "network_broker_fixture.hpp"

namespace ccm::cloud {
namespace {

struct Server {
  std::string id;
  std::vector<std::string> addresses;
  int32_t state = CCM_INSTANCE_RUNNING;
  std::vector<std::string> other_ids{};
};

std::vector<Machine> listing_of(const std::vector<Server>& servers) {
  std::vector<Machine> machines;
  for (const Server& server : servers) {
    machines.push_back(
        {"server-" + server.id, server.id, server.state, server.addresses, server.other_ids});
  }
  return machines;
}

bool g_by_address = true;

// A provider whose routes lead to addresses, as OpenStack's, or to instances.
class RouteTargetsTest : public NetworkBrokerTest {
 protected:
  ~RouteTargetsTest() override {
    tasks_.clear();
    routes_.reset();
  }

  static void limits(void*, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
    auto raw = sized<ccm_route_limits>();
    raw.flags = g_by_address ? CCM_ROUTES_USE_ADDRESSES : 0;
    plugin::complete(done, {}, &raw);
  }
  static void apply_seen(void*, ccm_ctx, const ccm_apply_routes_request* request,
                         ccm_completion done) {
    std::string seen;
    for (size_t i = 0; i < request->remove_count; ++i) {
      seen += "-" + std::string(view(request->remove[i]->id));
    }
    for (size_t i = 0; i < request->add_count; ++i) {
      const ccm_route& route = *request->add[i];
      seen += "+" + std::string(view(route.destination_cidr)) + " via " +
              std::string(view(route.target_provider_id));
      for (size_t k = 0; k < route.target_address_count; ++k) {
        seen += " " + std::string(view(route.target_addresses[k].address));
      }
    }
    g_open->push_back({"apply", {}, seen, 0, done});
  }

  void begin(const std::string& cluster_cidr = "10.0.0.0/8", bool by_address = true) {
    g_by_address = by_address;
    provider_ = route_table();
    provider_.apply = &apply_seen;
    provider_.limits = &limits;
    start(nullptr);
    BrokerOptions options;
    options.provider_id_prefixes = {"cloud://"};
    instances_ = source_.broker(component_, options);
    routes_ = std::make_shared<RoutesBroker>(
        component_, ccm_interface{nullptr, &provider_}, ProviderTimeouts(), route_brake_,
        std::make_unique<RouteTargets>(nodes_, timers_, permitted(cluster_cidr), instances_));
    advance(11min);
    tasks_(routes_->limits(component_->background()), [](const Result<RouteLimits>&) {});
    poll();
  }
  // Answers the questions for instances until `done`.
  void answer_instances(const std::function<bool()>& done) {
    for (int second = 0; second < 30 && !done(); ++second) {
      advance(1s);
      while (!source_.lists.empty()) {
        if (cloud_down_) {
          source_.end(source_.lists, down());
        } else {
          source_.end(source_.lists, listing_of(servers_));
        }
        poll();
      }
      while (!source_.gets.empty()) {
        source_.end(source_.gets, cloud_down_ ? down() : not_found());
        poll();
      }
    }
  }
  static Route to_address(const std::string& destination, const std::string& address) {
    Route route;
    route.id = address;
    route.destination_cidr = destination;
    route.target_addresses = {{"InternalIP", address}};
    route.owned = true;
    return route;
  }
  // The routes that a controller gets of these: "10.0.1.0/24>node-1".
  std::vector<std::string> named(const std::vector<Route>& all) {
    std::vector<std::string> texts;
    std::optional<Result<std::vector<Route>>> listed;
    tasks_(routes_->list("c", component_->background()),
           [&](Result<std::vector<Route>> result) { listed.emplace(std::move(result)); });
    const detail::RoutesC raw(all);
    answer(0, {}, raw.list());
    answer_instances([&] { return listed.has_value(); });
    EXPECT_TRUE(listed && listed->ok());
    if (!listed || !listed->ok()) return texts;
    listed_ = **listed;
    blackholes_ = 0;
    for (const Route& route : listed_) {
      texts.push_back(route.destination_cidr + ">" + route.target_node);
      blackholes_ += route.blackhole ? 1 : 0;
    }
    return texts;
  }
  // The reasons of the first `count` removals, "" for a success.
  std::vector<std::string> remove(const std::vector<Route>& routes, std::size_t count) {
    RoutesBroker::Changes changes{"c", {}, {}};
    changes.removals.assign(routes.begin(), routes.begin() + static_cast<std::ptrdiff_t>(count));
    return apply(std::move(changes));
  }
  // The reasons, "" for a success; `made_` is what the provider got.
  std::vector<std::string> add(const std::vector<std::pair<std::string, std::string>>& wanted) {
    RoutesBroker::Changes changes{"c", {}, {}};
    for (const auto& [destination, node] : wanted) {
      Route& route = changes.additions.emplace_back();
      route.destination_cidr = destination;
      route.target_node = node;
      route.target_provider_id = "cloud://of-the-request";
      route.target_addresses = {{"InternalIP", "203.0.113.9"}};
    }
    return apply(std::move(changes));
  }
  std::vector<std::string> apply(RoutesBroker::Changes changes) {
    std::optional<Result<std::vector<Status>>> outcome;
    tasks_(routes_->apply(std::move(changes), component_->background()),
           [&](Result<std::vector<Status>> result) { outcome.emplace(std::move(result)); });
    made_.clear();
    answer_instances([&] { return outcome.has_value() || !open_.empty(); });
    while (!open_.empty()) {
      made_ += open_.at(0).seen;
      const auto count =
          std::count(made_.begin(), made_.end(), '+') + std::count(made_.begin(), made_.end(), '-');
      const std::vector<Status> fine(static_cast<std::size_t>(count));
      const detail::RouteResultsC raw(fine);
      answer(0, {}, raw.get());
    }
    std::vector<std::string> reasons;
    EXPECT_TRUE(outcome && outcome->ok());
    if (!outcome || !outcome->ok()) return reasons;
    for (const Status& status : **outcome) {
      reasons.push_back(status.reason());
      if (!status.ok()) last_ = status;
    }
    return reasons;
  }
  using Texts = std::vector<std::string>;

  ccm_cloud_routes provider_{};
  ScriptedSource source_;
  std::shared_ptr<InstancesBroker> instances_;
  std::vector<Server> servers_;
  bool cloud_down_ = false;
  std::string made_;
  std::vector<Route> listed_;
  int blackholes_ = 0;  // among them
  Status last_;         // the last refusal
};

TEST_F(RouteTargetsTest, Issue37_2_NextHopAndInstanceAreTheCloudsAnswer) {
  begin();
  nodes_.nodes["a"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, "10.9.9.9", {}};
  servers_ = {{"cloud://1", {"192.0.2.1", "2001:db8::1"}}};
  EXPECT_EQ(add({{"10.0.1.0/24", "a"}}), Texts{""});
  EXPECT_EQ(made_, "+10.0.1.0/24 via cloud://1 192.0.2.1 2001:db8::1");
}

TEST_F(RouteTargetsTest, Issue37_2_OfTwoNodesWithOneInstanceTheOlderHasIt) {
  begin();
  nodes_.nodes["a-evil"] = {"2026-02-01T00:00:00Z", "cloud://1", {"10.0.2.0/24"}, "192.0.2.1", {}};
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, "192.0.2.1", {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  EXPECT_EQ(add({{"10.0.2.0/24", "a-evil"}, {"10.0.1.0/24", "node-1"}}),
            (Texts{"InstanceOfAnotherNode", ""}));
  EXPECT_EQ(made_, "+10.0.1.0/24 via cloud://1 192.0.2.1");
  EXPECT_EQ(
      last_.message(),
      "instance cloud://1 is already that of Node node-1, which has its name or is older than Node "
      "a-evil");
  EXPECT_EQ(last_.error_class(), ErrorClass::waiting);
  const auto reports = routes_->routes_of("a-evil");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].failure.reason(), "InstanceOfAnotherNode") << "as ccmctl explain shows it";
}

TEST_F(RouteTargetsTest, Issue37_AnOlderNodeDoesNotTakeTheInstanceOfAnotherName) {
  begin();
  nodes_.nodes["evil"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.2.0/24"}, {}, {}};
  nodes_.nodes["server-cloud://1"] = {"2026-02-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  EXPECT_EQ(add({{"10.0.1.0/24", "server-cloud://1"}, {"10.0.2.0/24", "evil"}}),
            (Texts{"", "InstanceOfAnotherNode"}));
  EXPECT_EQ(made_, "+10.0.1.0/24 via cloud://1 192.0.2.1");
}

TEST_F(RouteTargetsTest, Issue37_TheSameUnderAnotherSpellingOfTheProviderId) {
  begin();
  nodes_.nodes["a-evil"] = {"2026-02-01T00:00:00Z", "cloud:///1", {"10.0.2.0/24"}, {}, {}};
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://z/1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://z/1", {"192.0.2.1"}, CCM_INSTANCE_RUNNING, {"cloud:///1"}}};
  EXPECT_EQ(add({{"10.0.2.0/24", "a-evil"}, {"10.0.1.0/24", "node-1"}}),
            (Texts{"InstanceOfAnotherNode", ""}));
  EXPECT_EQ(made_, "+10.0.1.0/24 via cloud://z/1 192.0.2.1");
}

TEST_F(RouteTargetsTest, ALateAnswerAboutTheNameIsNoneAboutTheProviderId) {
  source_.listing = false;
  begin();
  const auto list = [&] {
    tasks_(routes_->list("c", component_->background()), [](const Result<std::vector<Route>>&) {});
    const std::vector<Route> no_routes;
    const detail::RoutesC none(no_routes);
    answer(0, {}, none.list());
    advance(1s);
  };
  nodes_.nodes["x"] = {"2026-01-01T00:00:00Z", {}, {"10.0.5.0/24"}, {}, {}};
  list();
  nodes_.nodes["x"].provider_id = "cloud://5";
  list();
  ASSERT_EQ(source_.gets.size(), 2U);
  std::swap(source_.gets[0], source_.gets[1]);
  source_.end(source_.gets, listing_of({{"cloud://5", {"192.0.2.5"}}}));
  source_.end(source_.gets, not_found());
  EXPECT_EQ(add({{"10.0.5.0/24", "x"}}), Texts{""});
  EXPECT_EQ(made_, "+10.0.5.0/24 via cloud://5 192.0.2.5");
}

TEST_F(RouteTargetsTest, Issue37_2_WithoutAnInstanceThereIsNoRoute) {
  begin();
  nodes_.nodes["a"] = {"2026-01-01T00:00:00Z", "cloud://none", {"10.0.1.0/24"}, {}, {}};
  nodes_.nodes["b"] = {"2026-01-01T00:00:00Z", "other://1", {"10.0.2.0/24"}, {}, {}};
  nodes_.nodes["c"] = {"2026-01-01T00:00:00Z", "cloud://3", {"10.0.3.0/24"}, "192.0.2.3", {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}, {"cloud://3", {}}};
  EXPECT_EQ(add({{"10.0.1.0/24", "a"}, {"10.0.2.0/24", "b"}, {"10.0.3.0/24", "c"}}),
            (Texts{"NoInstance", "ForeignProviderID", "NoAddress"}));
  EXPECT_EQ(made_, "");
  cloud_down_ = true;
  nodes_.nodes["d"] = {"2026-01-01T00:00:00Z", "cloud://4", {"10.0.4.0/24"}, {}, {}};
  advance(1min);
  const auto reasons = add({{"10.0.4.0/24", "d"}});
  EXPECT_EQ(last_.error_class(), ErrorClass::unavailable) << last_.message();
  EXPECT_EQ(made_, "");
}

TEST_F(RouteTargetsTest, Issue37_2_RangesThatMayNotBeRouted) {
  begin("10.0.0.0/8");
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  int number = 2;
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const char* range : {"0.0.0.0/0", "169.254.169.254/32", "192.168.0.0/24", "10.0.1.0/25",
                            "10.0.0.0/16", "10.77.0.0/24"}) {
    const std::string name = "evil-" + std::to_string(number);
    nodes_.nodes[name] = {
        "2026-02-01T00:00:00Z", "cloud://" + std::to_string(number++), {range}, {}, {}};
    wanted.emplace_back(range, name);
  }
  // Node-1's subnet is within --cluster-cidr by mistake.
  servers_ = {{"cloud://1", {"10.77.0.1"}}};
  for (int i = 2; i < number; ++i) {
    servers_.push_back({"cloud://" + std::to_string(i), {"10.77.0." + std::to_string(i)}});
  }
  EXPECT_EQ(add(wanted), (Texts{"PodCIDROutOfRange", "PodCIDROutOfRange", "PodCIDROutOfRange",
                                "CIDRConflict", "CIDRConflict", "CIDRConflict"}));
  EXPECT_EQ(made_, "");
  EXPECT_EQ(add({{"10.0.1.0/24", "evil-2"}}), Texts{"NotItsRange"});
  EXPECT_EQ(add({{"10.0.1.0/24", "nobody"}}), Texts{"NoNode"});
  EXPECT_EQ(add({{"10.0.1.0/24", "node-1"}}), Texts{""});
}

TEST_F(RouteTargetsTest, Issue37_2_NothingWithoutAClusterRange) {
  begin("");
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  EXPECT_EQ(add({{"10.0.1.0/24", "node-1"}}), Texts{"PodCIDROutOfRange"});
}

TEST_F(RouteTargetsTest, Issue37_2_ARouteLeadsToTheNodeOfTheInstance) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, "192.0.2.1", {}};
  // Says that it has Node-1's address.
  nodes_.nodes["evil"] = {"2026-02-01T00:00:00Z", "cloud://2", {"10.0.2.0/24"}, "192.0.2.1", {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}, {"cloud://2", {"192.0.2.2"}}};
  EXPECT_EQ(
      named({to_address("10.0.1.0/24", "192.0.2.1"), to_address("10.0.2.0/24", "192.0.2.1"),
             to_address("10.0.2.0/24", "192.0.2.2"), to_address("10.0.3.0/24", "192.0.2.9")}),
      (Texts{"10.0.1.0/24>node-1", "10.0.2.0/24>node-1", "10.0.2.0/24>evil", "10.0.3.0/24>"}));
}

TEST_F(RouteTargetsTest, ANodeThatGoesLeavesItsNameAndAnotherAddressDoesNot) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  const Route route = to_address("10.0.1.0/24", "192.0.2.1");
  EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>node-1"});
  servers_ = {{"cloud://1", {"192.0.2.7"}}};
  nodes_.nodes["node-1"].address = "192.0.2.7";  // the node controller has written it
  advance(2min);
  EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>"});
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  nodes_.nodes["node-1"].address = "192.0.2.1";
  advance(2min);
  EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>node-1"});
  nodes_.nodes.clear();
  servers_.clear();
  advance(2min);
  EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>node-1"});
}

TEST_F(RouteTargetsTest, WhileTheCloudDoesNotAnswerNoRouteLosesItsNode) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  cloud_down_ = true;
  EXPECT_EQ(named({to_address("10.0.1.0/24", "192.0.2.1")}), Texts{"10.0.1.0/24>node-1"})
      << "by its range, after a restart";
  cloud_down_ = false;
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  advance(2min);
  EXPECT_EQ(named({to_address("10.0.1.0/24", "192.0.2.1")}), Texts{"10.0.1.0/24>node-1"});
}

// A Node that is made again with an invented instance kept the route of the former one.
TEST_F(RouteTargetsTest, Issue37_WhatWasMadeForANodeIsNotForAnotherOfItsName) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  Route by_instance;
  by_instance.id = "r1";
  by_instance.destination_cidr = "10.0.1.0/24";
  by_instance.target_provider_id = "cloud://1";
  by_instance.owned = true;
  const std::vector<Route> all{to_address("10.0.1.0/24", "192.0.2.1"), by_instance};
  EXPECT_EQ(named(all), (Texts{"10.0.1.0/24>node-1", "10.0.1.0/24>node-1"}));
  for (const char* id : {"cloud://none", "cloud://1", "other://1", ""}) {
    const bool same = id == std::string("cloud://1");
    const std::string uid = std::string("uid-") + id;
    nodes_.nodes["node-1"] = {"2026-02-01T00:00:00Z", id, {"10.0.1.0/24"}, "192.0.2.1", uid};
    advance(2min);
    const std::string name = same ? "node-1" : "";
    EXPECT_EQ(named(all), (Texts{"10.0.1.0/24>" + name, "10.0.1.0/24>" + name})) << id;
    EXPECT_EQ(blackholes_, same ? 0 : 2) << id;
  }
}

TEST_F(RouteTargetsTest, Issue37_WhatIsLeftOfAFormerNodeEngagesNoBrake) {
  begin();
  std::vector<Route> all;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    nodes_.nodes["node-" + n] = {
        "2026-01-01T00:00:00Z", "cloud://" + n, {"10.0." + n + ".0/24"}, {}, {}};
    servers_.push_back({"cloud://" + n, {"192.0.2." + n}});
    all.push_back(to_address("10.0." + n + ".0/24", "192.0.2." + n));
  }
  named(all);
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    nodes_.nodes["node-" + n] = {
        "2026-02-01T00:00:00Z", "cloud://none-" + n, {"10.0." + n + ".0/24"}, {}, "uid-2-" + n};
  }
  advance(2min);
  EXPECT_EQ(named(all).front(), "10.0.0.0/24>");
  EXPECT_EQ(remove(listed_, 5), Texts(5, ""));
  EXPECT_FALSE(route_brake_.report().engaged);
}

TEST_F(RouteTargetsTest, Issue37_ARouteOfAnotherInstanceIsNotThatOfANodeWithout) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://none", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  Route listed = to_address("10.0.1.0/24", "192.0.2.1");
  listed.target_node = "node-1";
  listed.target_provider_id = "cloud://1";
  EXPECT_EQ(named({listed, to_address("10.0.1.0/24", "192.0.2.7")}),
            (Texts{"10.0.1.0/24>", "10.0.1.0/24>"}))
      << "after a restart";
}

// It was made while the Node was made again, so no listing had it for the former one. A route that
// bears the name of a Node was that Node's, whatever instance it led to.
TEST_F(RouteTargetsTest, Issue37_ARouteThatBearsTheNameOfANodeLeadsToItsInstance) {
  begin("10.0.0.0/8", false);
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://2", {"10.0.1.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}, {"cloud://2", {"192.0.2.2"}, 1, {"cloud:///2"}}};
  Route route;
  route.id = "r1";
  route.destination_cidr = "10.0.1.0/24";
  route.target_node = "node-1";
  route.owned = true;
  for (const char* id : {"cloud://1", "cloud://gone"}) {
    route.target_provider_id = id;
    EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>"}) << id;
    EXPECT_EQ(blackholes_, 1) << id;
  }
  for (const char* id : {"cloud://2", "cloud:///2", ""}) {
    route.target_provider_id = id;
    EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>node-1"}) << id;
    EXPECT_EQ(blackholes_, 0) << id;
  }
  cloud_down_ = true;
  nodes_.nodes["node-1"].uid = "uid-2";
  route.target_provider_id = "cloud://2";
  advance(2min);
  EXPECT_EQ(named({route}), Texts{"10.0.1.0/24>node-1"}) << "while the cloud says nothing";
}

// The older of two Nodes of one instance has it: the younger one's name leads to none.
TEST_F(RouteTargetsTest, Issue37_2_AYoungerNodeDoesNotHaveWhatAnotherHas) {
  begin();
  nodes_.nodes["node-1"] = {"2026-01-01T00:00:00Z", "cloud://1", {"10.0.1.0/24"}, {}, {}};
  nodes_.nodes["evil"] = {"2026-02-01T00:00:00Z", "cloud://1", {"10.0.2.0/24"}, {}, {}};
  servers_ = {{"cloud://1", {"192.0.2.1"}}};
  Route by_name;
  by_name.id = "r1";
  by_name.destination_cidr = "10.0.2.0/24";
  by_name.target_node = "evil";
  by_name.owned = true;
  Route by_instance = by_name;
  by_instance.id = "r2";
  by_instance.target_provider_id = "cloud://1";
  EXPECT_EQ(named({by_name, by_instance}), (Texts{"10.0.2.0/24>", "10.0.2.0/24>node-1"}));
}

// A change looks at the Nodes once more, and what the last listing showed still counts then.
TEST_F(RouteTargetsTest, Issue37_2_WhatIsRoutedHoldsItsRangeAlsoWhileChangesAreMade) {
  begin();
  const std::string now = "2026-01-01T00:00:00Z";
  nodes_.nodes["node-1"] = {now, "cloud://1", {"10.0.1.0/24"}, {}, {}};
  servers_ = {
      {"cloud://1", {"192.0.2.1"}}, {"cloud://2", {"192.0.2.2"}}, {"cloud://3", {"192.0.2.3"}}};
  nodes_.nodes["evil"] = {now, "cloud://2", {"10.0.0.0/20"}, {}, {}};  // the smaller UID
  nodes_.nodes["node-3"] = {now, "cloud://3", {"10.0.3.0/24"}, {}, {}};
  EXPECT_EQ(named({to_address("10.0.1.0/24", "192.0.2.1")}), Texts{"10.0.1.0/24>node-1"});
  EXPECT_EQ(add({{"10.0.0.0/20", "evil"}, {"10.0.3.0/24", "node-3"}}), (Texts{"CIDRConflict", ""}));
}

TEST_F(RouteTargetsTest, NothingIsSaidBeforeTheNodesAreKnown) {
  begin();
  nodes_.known = plugin::CacheState::not_synced;
  std::optional<Status> listed;
  tasks_(routes_->list("c", component_->background()),
         [&](const Result<std::vector<Route>>& result) { listed = result.status(); });
  const std::vector<Route> one{to_address("10.0.1.0/24", "192.0.2.1")};
  const detail::RoutesC raw(one);
  answer(0, {}, raw.list());
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->error_class(), ErrorClass::waiting);
}

// An invented provider ID, and addresses that change all the time, cost a few calls.
TEST_F(RouteTargetsTest, Issue37_2_AKubeletCannotSpendCalls) {
  begin();
  nodes_.nodes["evil"] = {"2026-01-01T00:00:00Z", "cloud://none", {"10.0.1.0/24"}, {}, {}};
  nodes_.nodes["node-2"] = {"2026-01-01T00:00:00Z", "cloud://2", {"10.0.2.0/24"}, {}, {}};
  servers_ = {{"cloud://2", {"192.0.2.2"}}};
  const auto begun = timers_.now();
  for (int i = 0; timers_.now() - begun < 1h; ++i) {
    nodes_.nodes["evil"].address = "192.0.2." + std::to_string(i % 250);
    named({});
    advance(9s);
  }
  EXPECT_LE(source_.listed + source_.got.size(), 40U);
}

}  // namespace
}  // namespace ccm::cloud
