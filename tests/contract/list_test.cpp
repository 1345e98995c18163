// Lists: selectors and the rules of resourceVersion and resourceVersionMatch.
#include "contract.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

class List : public Contract {
 protected:
  KubeResponse list(const std::string& query) { return api().get(kNodes + "?" + query); }

  json labelled(const std::string& key, const std::string& value) {
    json object = node(unique("node"));
    object["metadata"]["labels"][key] = value;
    return create_node(object);
  }
  std::vector<std::string> selected(const std::string& expression) {
    return names(must(list("labelSelector=" + support::encode_component(expression))));
  }
};

std::string name_of(const json& object) { return object.at("metadata").at("name"); }

TEST_F(List, API_140_ListHasItsOwnKindAndVersion) {
  const json created = create_node();
  const json body = must(list(selector()));
  EXPECT_EQ(body.at("kind"), "NodeList");
  EXPECT_EQ(body.at("apiVersion"), "v1");
  EXPECT_GE(std::stoll(version(body)), std::stoll(version(created)));
  ASSERT_EQ(body.at("items").size(), 1U);
  const json& item = body.at("items").at(0);
  EXPECT_EQ(item.at("metadata").at("uid"), created.at("metadata").at("uid"));
  EXPECT_FALSE(item.contains("kind"));
  EXPECT_FALSE(item.contains("apiVersion"));
}

TEST_F(List, API_139_EmptyListHasAnItemsMemberAndAVersion) {
  const json body = must(list("labelSelector=contract%3Dnobody"));
  EXPECT_TRUE(body.at("items").empty());
  EXPECT_NE(version(body), "");
}

TEST_F(List, API_15_ItemsAreOrderedByName) {
  const std::string space = make_namespace();
  for (const char* name : {"c", "a", "b"}) create_config_map(space, name);
  EXPECT_EQ(names(must(api().get(space + "/configmaps"))),
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(List, API_18_LabelSelectorsSelect) {
  const std::string tag = unique("tag");
  const std::string red = name_of(labelled(tag, "red"));
  const std::string blue = name_of(labelled(tag, "blue"));
  const std::vector<std::string> both{red, blue};
  EXPECT_EQ(selected(tag + "=red"), std::vector{red});
  EXPECT_EQ(selected(tag + "==blue"), std::vector{blue});
  EXPECT_EQ(selected(tag + "!=red," + tag), std::vector{blue});
  EXPECT_EQ(selected(tag).size(), 2U);
  EXPECT_EQ(selected(tag + " in (red,blue)").size(), 2U);
  EXPECT_EQ(selected(tag + " notin (red), " + tag), std::vector{blue});
  const auto without = selected("!" + tag);
  EXPECT_EQ(std::find(without.begin(), without.end(), red), without.end());
}

TEST_F(List, API_18_MalformedSelectorsAreBadRequests) {
  EXPECT_EQ(list("labelSelector=a%20b%20c").status, 400);
  EXPECT_EQ(list("fieldSelector=spec.unheard%3D1").status, 400);
}

TEST_F(List, API_43_FieldSelectorsOnNodes) {
  const std::string open = name_of(create_node());
  json object = node(unique("node"));
  object["spec"] = {{"unschedulable", true}};
  const std::string closed = name_of(create_node(object));
  EXPECT_EQ(names(must(list("fieldSelector=metadata.name%3D" + open))), std::vector{open});
  EXPECT_EQ(names(must(list(selector() + "&fieldSelector=spec.unschedulable%3Dtrue"))),
            std::vector{closed});
  EXPECT_EQ(names(must(list(selector() + "&fieldSelector=spec.unschedulable%3Dfalse"))),
            std::vector{open});
  EXPECT_EQ(names(must(list(selector() + "&fieldSelector=metadata.name!%3D" + open))),
            std::vector{closed});
}

TEST_F(List, API_43_FieldSelectorsOnServices) {
  const std::string space = make_namespace();
  for (const char* type : {"ClusterIP", "LoadBalancer"}) {
    const std::string name = std::string(type) == "ClusterIP" ? "inside" : "outside";
    must(api().create(space + "/services",
                      {{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", {{"name", name}}},
                       {"spec", {{"type", type}, {"ports", {{{"port", 80}}}}}}}));
  }
  const json body = must(api().get(space + "/services?fieldSelector=spec.type%3DLoadBalancer"));
  EXPECT_EQ(names(body), std::vector<std::string>{"outside"});
}

TEST_F(List, API_15_UnsetVersionIsConsistent) {
  // Every read sees the write before it.
  for (int i = 0; i < 5; ++i) {
    create_node();
    EXPECT_EQ(must(list(selector())).at("items").size(), static_cast<std::size_t>(i + 1));
  }
}

TEST_F(List, API_15_ZeroIsAnyCachedState) {
  create_node();
  EXPECT_TRUE(list("resourceVersion=0").ok());
  EXPECT_TRUE(list("resourceVersion=0&resourceVersionMatch=NotOlderThan").ok());
}

TEST_F(List, API_15_VersionWithoutMatchIsNotOlder) {
  const json created = create_node();
  const json body = must(list(selector() + "&resourceVersion=" + version(created)));
  EXPECT_EQ(names(body), std::vector{name_of(created)});
  EXPECT_GE(std::stoll(version(body)), std::stoll(version(created)));
}

TEST_F(List, API_15_ExactIsThatVersionAndNoOther) {
  const std::string first = name_of(create_node());
  const std::string at = now(kNodes);
  create_node();
  const json body = must(list(selector() + "&resourceVersionMatch=Exact&resourceVersion=" + at));
  EXPECT_EQ(version(body), at);
  EXPECT_EQ(names(body), std::vector{first});
}

TEST_F(List, API_15_LimitWithVersionAndNoMatchIsExact) {
  const std::string first = name_of(create_node());
  const std::string at = now(kNodes);
  create_node();
  const json body = must(list(selector() + "&limit=10&resourceVersion=" + at));
  EXPECT_EQ(version(body), at);
  EXPECT_EQ(names(body), std::vector{first});
}

TEST_F(List, API_16_MatchRules) {
  for (const char* query : {"resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan",
                            "resourceVersionMatch=Exact&resourceVersion=0",
                            "resourceVersionMatch=Sometimes&resourceVersion=1"}) {
    const KubeResponse response = list(query);
    EXPECT_EQ(response.status, 422) << query;
    EXPECT_EQ(response.reason(), "Invalid") << query;
  }
}

TEST_F(List, API_13_MalformedVersionIsRefused) {
  EXPECT_EQ(list("resourceVersion=yesterday").status, 400);
}

TEST_F(List, API_17_FutureVersionIsTooLargeWithARetryHint) {
  const KubeResponse response = list("resourceVersion=" + now(kNodes) + "00000");
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.reason(), "Timeout");
  EXPECT_TRUE(response.has_cause("ResourceVersionTooLarge")) << response.http.body;
  EXPECT_EQ(response.body.at("details").at("retryAfterSeconds"), 1);
}

TEST_F(List, API_39_SendInitialEventsIsForbiddenOnList) {
  const KubeResponse response = list("sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
}

TEST_F(List, API_7_PartialObjectMetadataListHasMetadataOnly) {
  json object = node(unique("node"));
  object["spec"] = {{"providerID", "cloud://1"}};
  create_node(object);
  support::HttpRequest request;
  request.target = kNodes + "?" + selector();
  request.headers = {
      {"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}};
  const json body = must(api().send(request));
  EXPECT_EQ(body.at("kind"), "PartialObjectMetadataList");
  ASSERT_EQ(body.at("items").size(), 1U);
  EXPECT_FALSE(body.at("items").at(0).contains("spec"));
}

}  // namespace
}  // namespace ccm::contract
