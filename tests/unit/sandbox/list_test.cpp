#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class List : public ApiFixture {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c", "d", "e"}) make_node(name);
  }
  static std::vector<std::string> names(const Json& list) {
    std::vector<std::string> result;
    for (const Json& item : list.at("items")) result.push_back(item.at("metadata").at("name"));
    return result;
  }
  static std::string token(const Json& list) { return list.at("metadata").value("continue", ""); }
};

TEST_F(List, API_140_ItemsCarryNoKindTheListDoes) {
  Json list = get(kNodes).body;
  EXPECT_EQ(list.at("kind"), "NodeList");
  EXPECT_EQ(names(list), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_FALSE(list.at("items")[0].contains("kind"));
}

TEST_F(List, API_18_PagesShowTheStateOfTheFirst) {
  Json first = get("/api/v1/nodes?limit=2").body;
  EXPECT_EQ(names(first), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(first.at("metadata").at("remainingItemCount"), 3);
  send("DELETE", "/api/v1/nodes/c");
  make_node("cc");
  Json second = get("/api/v1/nodes?limit=2&continue=" + token(first)).body;
  EXPECT_EQ(names(second), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(version_of(second), version_of(first));
  Json third = get("/api/v1/nodes?limit=2&continue=" + token(second)).body;
  EXPECT_EQ(names(third), (std::vector<std::string>{"e"}));
  EXPECT_EQ(token(third), "");
}

TEST_F(List, API_20_ExpiredTokenOffersAFreshOne) {
  Json first = get("/api/v1/nodes?limit=2").body;
  send("POST", "/sandbox/expire-history");
  Answer gone = get("/api/v1/nodes?limit=2&continue=" + token(first));
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.reason(), "Expired");
  make_node("cc");
  Json rest = get("/api/v1/nodes?continue=" + token(gone.body)).body;
  EXPECT_EQ(names(rest), (std::vector<std::string>{"c", "cc", "d", "e"}));
}

TEST_F(List, API_19_NoCountWithSelectors) {
  Json page = get("/api/v1/nodes?limit=2&labelSelector=%21x").body;
  EXPECT_NE(token(page), "");
  EXPECT_FALSE(page.at("metadata").contains("remainingItemCount"));
}

TEST_F(List, API_15_ExactShowsThePast) {
  std::string then = version_of(get(kNodes).body);
  send("DELETE", "/api/v1/nodes/a");
  std::string query = "/api/v1/nodes?resourceVersion=" + then;
  EXPECT_EQ(names(get(query + "&resourceVersionMatch=Exact").body).size(), 5u);
  EXPECT_EQ(names(get(query + "&limit=10").body).size(), 5u);
  EXPECT_EQ(names(get(query + "&resourceVersionMatch=NotOlderThan").body).size(), 4u);
  EXPECT_EQ(names(get("/api/v1/nodes?resourceVersion=0&limit=1").body).size(), 4u);
  send("POST", "/sandbox/expire-history");
  EXPECT_EQ(get(query + "&resourceVersionMatch=Exact").status, 410);
}

TEST_F(List, API_16_WrongCombinationsAre422) {
  for (const char* query :
       {"resourceVersionMatch=Exact", "resourceVersionMatch=Exact&resourceVersion=0",
        "resourceVersionMatch=Sometimes&resourceVersion=1", "sendInitialEvents=true"}) {
    EXPECT_EQ(get(std::string("/api/v1/nodes?") + query).status, 422) << query;
  }
  EXPECT_EQ(get("/api/v1/nodes?resourceVersion=abc").status, 400);
  EXPECT_EQ(get("/api/v1/nodes?continue=abc").status, 400);
}

TEST_F(List, API_17_FutureRevisionWaitsThenTimesOut) {
  http::Request request;
  request.method = "GET";
  request.path = kNodes;
  request.query = http::Query::parse("resourceVersion=999999");
  request.authorization = "Bearer admin-token";
  http::Reply reply = server_.handle(request);
  EXPECT_TRUE(reply.again);
  request.waited = std::chrono::seconds(3);
  reply = server_.handle(request);
  Json status = Json::parse(reply.response.body);
  EXPECT_EQ(status.at("code"), 504);
  EXPECT_EQ(status.at("details").at("causes")[0].at("reason"), "ResourceVersionTooLarge");
  EXPECT_EQ(status.at("details").at("retryAfterSeconds"), 1);
}

TEST_F(List, NamespacesKeepTheirPagesApart) {
  make_config_map("one");
  make_config_map("two");
  Json other;
  other["metadata"]["name"] = "zero";
  post("/api/v1/namespaces/kube-system/configmaps", other);
  Json page = get("/api/v1/namespaces/default/configmaps?limit=2").body;
  EXPECT_EQ(names(page), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(token(page), "");
  EXPECT_EQ(names(get("/api/v1/configmaps").body).size(), 3u);
}

TEST_F(List, API_7_TablesAndMetadataOnly) {
  http::Request request;
  request.method = "GET";
  request.path = kNodes;
  request.authorization = "Bearer admin-token";
  request.accept = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
  Json table = Json::parse(server_.handle(request).response.body);
  EXPECT_EQ(table.at("kind"), "Table");
  EXPECT_EQ(table.at("rows")[0].at("cells").size(), table.at("columnDefinitions").size());
  request.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  Json partial = Json::parse(server_.handle(request).response.body);
  EXPECT_EQ(partial.at("kind"), "PartialObjectMetadataList");
  EXPECT_FALSE(partial.at("items")[0].contains("spec"));
  request.accept = "text/html";
  EXPECT_EQ(server_.handle(request).response.status, 406);
}

}  // namespace
}  // namespace sandbox::testing
