#include "api/selector.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

const Json& labels() {
  static const Json& value = *new Json{{"app", "web"}, {"tier", "2"}, {"example.com/x", ""}};
  return value;
}

bool matches(const char* selector) { return LabelSelector::parse(selector).matches(labels()); }

TEST(LabelSelector, EqualityAndInequality) {
  EXPECT_TRUE(matches("app=web"));
  EXPECT_TRUE(matches("app==web,tier=2"));
  EXPECT_FALSE(matches("app=web,tier=3"));
  EXPECT_TRUE(matches("app!=db"));
  EXPECT_TRUE(matches("missing!=db"));
  EXPECT_FALSE(matches("missing=db"));
  EXPECT_TRUE(matches("example.com/x="));
}

TEST(LabelSelector, SetsExistenceAndNumbers) {
  EXPECT_TRUE(matches("app in (db, web)"));
  EXPECT_FALSE(matches("app notin (db,web)"));
  EXPECT_TRUE(matches("missing notin (a)"));
  EXPECT_FALSE(matches("missing in (a)"));
  EXPECT_TRUE(matches("app,!missing"));
  EXPECT_FALSE(matches("!app"));
  EXPECT_TRUE(matches("tier>1,tier<3"));
  EXPECT_FALSE(matches("app>1"));
  EXPECT_TRUE(LabelSelector::parse("").matches(Json()));
}

TEST(LabelSelector, MalformedIsABadRequest) {
  for (const char* text : {"a b", "=x", "a in x", "a in (x", "a=b,", "a=-b-", "bad_prefix!/a"}) {
    try {
      LabelSelector::parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const ApiError& error) {
      EXPECT_EQ(error.code, 400) << text;
    }
  }
}

bool node_matches(const char* selector, const Json& node) {
  const Resource& nodes = resource_named("nodes");
  return FieldSelector::parse(nodes, selector).matches(nodes, node);
}

TEST(FieldSelector, API_43_NodesByNameAndUnschedulable) {
  Json node;
  node["metadata"]["name"] = "a";
  EXPECT_TRUE(node_matches("metadata.name=a", node));
  EXPECT_FALSE(node_matches("metadata.name!=a", node));
  EXPECT_TRUE(node_matches("spec.unschedulable=false", node));
  node["spec"]["unschedulable"] = true;
  EXPECT_TRUE(node_matches("metadata.name==a,spec.unschedulable=true", node));
}

TEST(FieldSelector, API_43_UnknownFieldsAreRefused) {
  const Resource& nodes = resource_named("nodes");
  EXPECT_THROW(FieldSelector::parse(nodes, "spec.providerID=x"), ApiError);
  EXPECT_THROW(FieldSelector::parse(nodes, "metadata.namespace=x"), ApiError);
  EXPECT_THROW(FieldSelector::parse(nodes, "nonsense"), ApiError);
  const Resource& services = resource_named("services");
  EXPECT_NO_THROW(FieldSelector::parse(services, "spec.type=LoadBalancer,metadata.namespace=x"));
}

TEST(FieldSelector, EventsBySourceFallBackToTheReportingComponent) {
  const Resource& events = resource_named("events");
  Json old_style = {{"source", {{"component", "ccm"}}}};
  Json new_style = {{"reportingComponent", "ccm"}};
  FieldSelector selector = FieldSelector::parse(events, "source=ccm");
  EXPECT_TRUE(selector.matches(events, old_style));
  EXPECT_TRUE(selector.matches(events, new_style));
}

}  // namespace
}  // namespace sandbox
