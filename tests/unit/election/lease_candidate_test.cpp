#include "election/lease.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::election {
namespace {

using nlohmann::json;

const std::chrono::system_clock::time_point kTime{std::chrono::seconds(1'767'225'600)};

TEST(LeaseCandidate, HOST_153_ARenewalLosesNoFieldAndIsNotBeforeTheQuestion) {
  const char* text =
      R"({"metadata":{"resourceVersion":"7","labels":{"a":"b"}},)"
      R"("spec":{"leaseName":"l","pingTime":"2026-01-01T00:00:05.000000Z","later":1}})";
  const auto candidate = parse_lease_candidate(text);
  ASSERT_TRUE(candidate.ok());
  json renewed = json::parse(renewed_lease_candidate(*candidate, kTime));
  EXPECT_EQ(renewed["spec"]["renewTime"], "2026-01-01T00:00:05.000000Z");
  EXPECT_EQ(renewed["spec"]["later"], 1);
  EXPECT_EQ(renewed["metadata"]["labels"]["a"], "b");
  renewed = json::parse(renewed_lease_candidate(*candidate, kTime + std::chrono::seconds(60)));
  EXPECT_EQ(renewed["spec"]["renewTime"], "2026-01-01T00:01:00.000000Z");
}

TEST(LeaseCandidate, OddTextsAreNoCandidates) {
  for (const char* text : {"", "{", "[]", "{}", R"({"metadata":1})", R"({"metadata":{}})"}) {
    EXPECT_EQ(parse_lease_candidate(text).status().code(), Code::data_loss) << text;
  }
  const auto odd = parse_lease_candidate(R"({"metadata":{"resourceVersion":"1"},"spec":[7]})");
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(json::parse(renewed_lease_candidate(*odd, kTime))["spec"]["renewTime"],
            "2026-01-01T00:00:00.000000Z");
}

TEST(LeaseCandidate, EventsTellOfChangesDeletionsAndTheEnd) {
  const auto event = [](const char* type) {
    return parse_event(
        json{{"type", type}, {"object", {{"metadata", {{"resourceVersion", "3"}}}}}}.dump(),
        "LeaseCandidate", &parse_lease_candidate);
  };
  ASSERT_TRUE(event("MODIFIED").ok());
  EXPECT_EQ(event("MODIFIED")->object.value().resource_version, "3");
  EXPECT_FALSE(event("DELETED")->object);
  EXPECT_TRUE(event("DELETED")->failure.empty());
  EXPECT_FALSE(event("ERROR")->failure.empty());
  EXPECT_FALSE(event("BOOKMARK").ok());
  EXPECT_FALSE(parse_event("[]", "LeaseCandidate", &parse_lease_candidate).ok());
}

}  // namespace
}  // namespace ccm::election
