// Requests for history that the server has forgotten.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class History : public Contract {
 protected:
  // The Status with which a watch is refused, in the stream or as the answer (API-26).
  json refusal(const std::string& target) {
    const KubeClient client = server().client();
    WatchStream stream = client.watch(target);
    const auto event = stream.next();
    if (!event) {
      ADD_FAILURE() << "no refusal; HTTP status " << stream.status();
      return json::object();
    }
    if (stream.status() == 200) {
      EXPECT_EQ(event->at("type"), "ERROR");
      return event->value("object", json::object());
    }
    EXPECT_EQ(stream.status(), 410);
    return *event;
  }

  static void expect_expired(const json& status) {
    EXPECT_EQ(status.value("kind", ""), "Status");
    EXPECT_EQ(status.value("status", ""), "Failure");
    EXPECT_EQ(status.value("code", 0), 410);
    EXPECT_EQ(status.value("reason", ""), "Expired");
  }
};

TEST_F(History, API_25_WatchFromAnExpiredVersionIs410) {
  const json created = create_node();
  const std::string old = now(kNodes);
  server().expire_history();
  expect_expired(refusal(kNodes + "?timeoutSeconds=10&resourceVersion=" + old));
  // The current state is still there, at the object's old version.
  EXPECT_EQ(version(must(api().get(node_path(created)))), version(created));
}

TEST_F(History, API_27_ListAndWatchWorkAfterExpiry) {
  create_node();
  server().expire_history();
  const json list = must(api().get(kNodes + "?" + selector()));
  EXPECT_EQ(list.at("items").size(), 1U);
  WatchStream stream = api().watch(kNodes + "?" + selector() + "&resourceVersion=" + version(list));
  const json second = create_node();
  const auto event = stream.next_change();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at("type"), "ADDED");
  EXPECT_EQ(event->at("object").at("metadata").at("name"), second.at("metadata").at("name"));
}

TEST_F(History, API_27_ListNotOlderThanAnExpiredVersionAnswers) {
  create_node();
  const std::string old = now(kNodes);
  server().expire_history();
  const json list = must(api().get(kNodes + "?" + selector() + "&resourceVersion=" + old +
                                   "&resourceVersionMatch=NotOlderThan"));
  EXPECT_EQ(list.at("items").size(), 1U);
  EXPECT_GE(std::stoll(version(list)), std::stoll(old));
}

TEST_F(History, API_20_ExpiredTokenIs410WithAFreshOne) {
  const std::string space = make_namespace();
  for (const char* name : {"a", "b", "c"}) create_config_map(space, name);
  const std::string maps = space + "/configmaps";
  const json first = must(api().get(maps + "?limit=1"));
  server().expire_history();
  const KubeResponse response = api().get(
      maps + "?limit=1&continue=" + support::encode_component(first.at("metadata").at("continue")));
  EXPECT_EQ(response.status, 410);
  EXPECT_EQ(response.reason(), "Expired");
  const std::string fresh =
      response.body.value("metadata", json::object()).value("continue", std::string());
  ASSERT_NE(fresh, "") << response.http.body;
  const json rest = must(api().get(maps + "?limit=5&continue=" + support::encode_component(fresh)));
  EXPECT_EQ(names(rest), (std::vector<std::string>{"b", "c"}));
}

TEST_F(History, API_15_ExactListOfAnExpiredVersionIs410) {
  create_node();
  const std::string old = now(kNodes);
  create_node();
  server().expire_history();
  const KubeResponse response =
      api().get(kNodes + "?resourceVersionMatch=Exact&resourceVersion=" + old);
  EXPECT_EQ(response.status, 410);
  EXPECT_EQ(response.reason(), "Expired");
}

}  // namespace
}  // namespace ccm::contract
