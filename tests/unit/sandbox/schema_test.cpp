#include "api/schema.hpp"

#include "api/resource.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

Json normalised(const char* kind, const char* text, DecodeNotes& notes) {
  Json object = Json::parse(text);
  normalise(*find_schema(kind), object, notes);
  return object;
}

TEST(Schema, EveryResourceHasOne) {
  for (const Resource& resource : resources()) {
    ASSERT_NE(resource.schema, nullptr) << resource.kind;
    EXPECT_NE(resource.schema->find("metadata"), nullptr) << resource.kind;
  }
}

TEST(Schema, API_10_UnknownFieldsAreDroppedAndNoted) {
  DecodeNotes notes;
  Json node = normalised("Node", R"({"spec":{"providerID":"x","colour":"red",
      "taints":[{"key":"a","effect":"NoSchedule","shape":1}]}})",
                         notes);
  EXPECT_EQ(notes.unknown_fields,
            (std::vector<std::string>{"spec.colour", "spec.taints[0].shape"}));
  EXPECT_EQ(node["spec"], Json::parse(R"({"providerID":"x",
      "taints":[{"key":"a","effect":"NoSchedule"}]})"));
}

TEST(Schema, NullsAndEmptyValuesVanishUnlessTheTypeKeepsThem) {
  DecodeNotes notes;
  Json lease = normalised("Lease", R"({"metadata":{"labels":{}},"spec":{"holderIdentity":"",
      "leaseTransitions":0,"leaseDurationSeconds":null}})",
                          notes);
  EXPECT_EQ(lease, Json::parse(R"({"metadata":{},"spec":{"holderIdentity":"",
      "leaseTransitions":0}})"));
}

TEST(Schema, API_11_TimesAreRewritten) {
  DecodeNotes notes;
  Json lease = normalised("Lease", R"({"spec":{"renewTime":"2026-01-02T03:04:05Z"}})", notes);
  EXPECT_EQ(lease["spec"]["renewTime"], "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(notes.error, "");
}

TEST(Schema, WrongTypesAreReported) {
  for (const char* text :
       {R"({"spec":{"podCIDR":1}})", R"({"spec":{"taints":{}}})", R"({"spec":[]})",
        R"({"metadata":{"labels":{"a":1}}})", R"({"spec":{"unschedulable":"yes"}})"}) {
    DecodeNotes notes;
    normalised("Node", text, notes);
    EXPECT_NE(notes.error, "") << text;
  }
}

}  // namespace
}  // namespace sandbox
