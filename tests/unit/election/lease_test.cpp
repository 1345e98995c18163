#include "election/lease.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::election {
namespace {

using nlohmann::json;

LeaseRecord record() {
  LeaseRecord lease;
  lease.holder_identity = "host_1";
  lease.lease_duration = std::chrono::seconds(15);
  lease.acquire_time = "2026-01-02T03:04:05.000006Z";
  lease.renew_time = "2026-01-02T03:04:07.000000Z";
  lease.lease_transitions = 3;
  return lease;
}

TEST(Lease, HOST_107_NewLeaseHasNoLabelsAndNoOwners) {
  const json lease = json::parse(new_lease("kube-system", "cloud-controller-manager", record()));
  EXPECT_EQ(lease["apiVersion"], "coordination.k8s.io/v1");
  EXPECT_EQ(lease["kind"], "Lease");
  EXPECT_EQ(lease["metadata"],
            (json{{"namespace", "kube-system"}, {"name", "cloud-controller-manager"}}));
}

TEST(Lease, HOST_111_WritesTheFieldsThatGoReads) {
  const json spec = json::parse(new_lease("n", "l", record()))["spec"];
  EXPECT_EQ(spec, (json{{"holderIdentity", "host_1"},
                        {"leaseDurationSeconds", 15},
                        {"acquireTime", "2026-01-02T03:04:05.000006Z"},
                        {"renewTime", "2026-01-02T03:04:07.000000Z"},
                        {"leaseTransitions", 3}}));
}

TEST(Lease, API_64_UpdateKeepsFieldsThatItDoesNotKnow) {
  const auto lease = parse_lease(
      R"({"kind":"Lease","metadata":{"name":"l","resourceVersion":"7","labels":{"a":"b"}},
    "spec":{"holderIdentity":"x","strategy":"OldestEmulationVersion","preferredHolder":"y"}})");
  ASSERT_TRUE(lease.ok());
  const json updated = json::parse(updated_lease(*lease, record()));
  EXPECT_EQ(updated["spec"]["strategy"], "OldestEmulationVersion");
  EXPECT_EQ(updated["spec"]["preferredHolder"], "y");
  EXPECT_EQ(updated["spec"]["holderIdentity"], "host_1");
  EXPECT_EQ(updated["metadata"]["labels"]["a"], "b");
  EXPECT_EQ(updated["metadata"]["resourceVersion"], "7") << "the write must stay conditional";
}

TEST(Lease, Issue42_4_AnnotationsAreSetAndTakenAwayBesideThoseOfOthers) {
  const json made = json::parse(new_lease("n", "l", record(), {{"port", "1"}, {"gone", ""}}));
  EXPECT_EQ(made["metadata"]["annotations"], (json{{"port", "1"}}));
  EXPECT_FALSE(json::parse(new_lease("n", "l", record()))["metadata"].contains("annotations"));
  const auto lease = parse_lease(
      R"({"kind":"Lease","metadata":{"name":"l","resourceVersion":"7",
          "annotations":{"theirs":"x","port":"1","gone":"y"}},"spec":{}})");
  ASSERT_TRUE(lease.ok());
  const json updated = json::parse(updated_lease(*lease, record(), {{"port", "2"}, {"gone", ""}}));
  EXPECT_EQ(updated["metadata"]["annotations"], (json{{"theirs", "x"}, {"port", "2"}}));
}

TEST(Lease, ReadsBackWhatItWrote) {
  json lease = json::parse(new_lease("n", "l", record()));
  lease["metadata"]["resourceVersion"] = "1";
  const auto parsed = parse_lease(lease.dump());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->record, record());
  EXPECT_EQ(parsed->resource_version, "1");
}

TEST(Lease, API_61_EverySpecFieldMayBeMissingOrNull) {
  const auto bare = parse_lease(R"({"metadata":{"name":"l","resourceVersion":"7"}})");
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(bare->record, LeaseRecord());
  const auto nulls =
      parse_lease(R"({"metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":null,
    "leaseDurationSeconds":null,"acquireTime":null,"renewTime":null,"leaseTransitions":null}})");
  ASSERT_TRUE(nulls.ok());
  EXPECT_EQ(nulls->record, LeaseRecord());
}

TEST(Lease, GarbageIsAnError) {
  for (const char* text :
       {"", "{", "[]", "{}", "null", R"({"metadata":[]})", R"({"metadata":{"name":"l"}})"}) {
    EXPECT_EQ(parse_lease(text).status().code(), Code::data_loss) << text;
  }
}

TEST(Lease, API_24_AnEventOfAWatchIsALeaseADeletionOrAFailure) {
  const std::string object =
      R"({"metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":"x"}})";
  for (const char* type : {"ADDED", "MODIFIED"}) {
    const auto event =
        parse_event(std::string(R"({"type":")") + type + R"(","object":)" + object + "}", "Lease",
                    &parse_lease);
    ASSERT_TRUE(event.ok());
    EXPECT_EQ(event->object->record.holder_identity, "x");
    EXPECT_EQ(event->object->resource_version, "7");
  }
  const auto deleted =
      parse_event(R"({"type":"DELETED","object":)" + object + "}", "Lease", &parse_lease);
  ASSERT_TRUE(deleted.ok());
  EXPECT_FALSE(deleted->object);
  EXPECT_EQ(deleted->failure, "");
  const auto error = parse_event(R"({"type":"ERROR","object":{"kind":"Status","code":410}})",
                                 "Lease", &parse_lease);
  ASSERT_TRUE(error.ok());
  EXPECT_EQ(json::parse(error->failure)["code"], 410);
}

TEST(Lease, API_24_GarbageIsNoEvent) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":7})",
        R"({"type":"BOOKMARK","object":{}})", R"({"object":{}})"}) {
    EXPECT_EQ(parse_event(text, "Lease", &parse_lease).status().code(), Code::data_loss) << text;
  }
}

TEST(Lease, WhatNestsWithoutEndCostsNoStack) {
  std::string deep(100'000, '[');
  deep.append(100'000, ']');
  const std::string object = R"({"metadata":{"resourceVersion":"7"},"spec":{"x":)" + deep + "}}";
  const auto lease = parse_lease(object);
  ASSERT_TRUE(lease.ok());
  EXPECT_TRUE(parse_lease(updated_lease(*lease, {})).ok());
  EXPECT_TRUE(
      parse_event(R"({"type":"ADDED","object":)" + object + "}", "Lease", &parse_lease).ok());
  EXPECT_TRUE(
      parse_event(R"({"type":"ERROR","object":)" + object + "}", "Lease", &parse_lease).ok());
}

TEST(Lease, NumbersStayWithinTheApisRange) {
  const auto lease = parse_lease(
      R"({"metadata":{"resourceVersion":"7"},
          "spec":{"leaseDurationSeconds":18446744073709551615,"leaseTransitions":-3}})");
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->record.lease_duration, std::chrono::seconds(INT32_MAX));
  EXPECT_EQ(lease->record.lease_transitions, 0);
}

TEST(Lease, API_11_MicroTimeHasSixDigits) {
  const auto time =
      std::chrono::system_clock::time_point(std::chrono::microseconds(1'767'323'045'000'006));
  EXPECT_EQ(micro_time(time), "2026-01-02T03:04:05.000006Z");
}

}  // namespace
}  // namespace ccm::election
