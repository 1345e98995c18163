#include "plugin_files/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ccm::plugin_files {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ManifestReport with_options(const std::string& options) {
  return parse_manifest(
      R"({"id":"a","version":"0.0.1","abi":"1.0","components":[{"kind":"provider","name":"p"}],)"
      R"("options":)" +
      options + "}");
}

std::string fault_of(const std::string& options) {
  const ManifestReport report = with_options(options);
  EXPECT_THAT(report.faults, SizeIs(1)) << options;
  return report.faults.empty() ? "" : report.faults[0];
}

TEST(ManifestOptions, EachTypeHasItsDefaultAsText) {
  const ManifestReport report = with_options(R"({
    "b": {"type": "boolean", "default": true, "description": "d"},
    "d": {"type": "duration", "default": "1m30s", "minimum": "1s", "maximum": "1h",
          "description": "d"},
    "i": {"type": "integer", "default": -3, "minimum": -5, "maximum": 5, "description": "d"},
    "l": {"type": "stringArray", "default": ["x", "y"], "enum": ["x", "y", "z"],
          "description": "d"},
    "s": {"type": "string", "default": "fast", "enum": ["fast", "slow"], "description": "d",
          "environment": "SPEED_1"}})");
  ASSERT_THAT(report.faults, IsEmpty());
  const auto& options = report.manifest->options;
  ASSERT_EQ(options.size(), 5U);
  EXPECT_EQ(options[0].default_value, "true");
  EXPECT_EQ(options[1].default_value, "1m30s");
  EXPECT_EQ(options[1].minimum, 1'000'000'000);
  EXPECT_EQ(options[1].maximum, 3'600'000'000'000);
  EXPECT_EQ(options[2].default_value, "-3");
  EXPECT_EQ(options[2].minimum, -5);
  EXPECT_EQ(options[3].default_value, "x,y");
  EXPECT_EQ(options[4].default_value, "fast");
  EXPECT_THAT(options[4].allowed, ElementsAre("fast", "slow"));
  EXPECT_EQ(options[4].environment, "SPEED_1");
}

TEST(ManifestOptions, WithoutDefaultItIsTheZeroOfItsType) {
  const ManifestReport report = with_options(R"({
    "b": {"type": "boolean", "description": "d"}, "d": {"type": "duration", "description": "d"},
    "i": {"type": "integer", "description": "d"}, "s": {"type": "string", "description": "d"}})");
  ASSERT_TRUE(report.manifest.has_value());
  EXPECT_EQ(report.manifest->options[0].default_value, "false");
  EXPECT_EQ(report.manifest->options[1].default_value, "0s");
  EXPECT_EQ(report.manifest->options[2].default_value, "0");
  EXPECT_EQ(report.manifest->options[3].default_value, "");
}

TEST(ManifestOptions, FaultsNameTheirPlace) {
  EXPECT_THAT(fault_of("[]"), HasSubstr("options: must be an object"));
  EXPECT_THAT(fault_of(R"({"--x": {"type": "string", "description": "d"}})"),
              HasSubstr("options: \"--x\" is no flag name"));
  EXPECT_EQ(fault_of(R"({"x": {"type": "string"}})"), "options.x.description: is missing");
  EXPECT_THAT(fault_of(R"({"x": {"type": "float", "default": 1, "description": "d"}})"),
              HasSubstr("options.x.type: \"float\" is not one of"));
  EXPECT_EQ(fault_of(R"({"x": {"type": "boolean", "default": "true", "description": "d"}})"),
            "options.x.default: must be true or false");
  EXPECT_THAT(fault_of(R"({"x": {"type": "duration", "default": "5", "description": "d"}})"),
              HasSubstr("options.x.default: must be a duration"));
  EXPECT_THAT(fault_of(R"({"x": {"type": "stringArray", "default": ["a,b"], "description": "d"}})"),
              HasSubstr("strings without commas"));
  EXPECT_THAT(fault_of(R"({"x": {"type": "string", "environment": "a-b", "description": "d"}})"),
              HasSubstr("options.x.environment: must be a variable's name"));
}

TEST(ManifestOptions, ASecretHasNoDefault) {
  const ManifestReport report = with_options(
      R"({"s": {"type": "string", "secret": true, "description": "d"},
          "t": {"type": "string", "description": "d"}})");
  ASSERT_THAT(report.faults, IsEmpty());
  EXPECT_TRUE(report.manifest->options[0].secret);
  EXPECT_FALSE(report.manifest->options[1].secret);
  EXPECT_EQ(
      fault_of(R"({"x": {"type": "string", "secret": true, "default": "a", "description": "d"}})"),
      "options.x.default: is not for a secret, as everybody can read the manifest");
  EXPECT_EQ(fault_of(R"({"x": {"type": "string", "secret": "yes", "description": "d"}})"),
            "options.x.secret: must be true or false, not string");
}

TEST(ManifestOptions, BoundsAndChoicesHoldForTheDefault) {
  EXPECT_EQ(
      fault_of(R"({"x": {"type": "integer", "default": 9, "maximum": 8, "description": "d"}})"),
      "options.x.default: lies outside of minimum and maximum");
  EXPECT_EQ(fault_of(R"({"x": {"type": "integer", "default": 5, "minimum": "low",
                               "description": "d"}})"),
            "options.x.minimum: must be an integer");
  EXPECT_THAT(with_options(R"({"x": {"type": "integer", "minimum": 7, "maximum": 6,
                                     "description": "d"}})")
                  .faults,
              testing::Contains("options.x.minimum: is above maximum"));
  EXPECT_EQ(fault_of(R"({"x": {"type": "string", "default": "b", "enum": ["a"],
                               "description": "d"}})"),
            "options.x.default: is not one of enum");
  EXPECT_EQ(fault_of(R"({"x": {"type": "integer", "enum": ["a"], "description": "d"}})"),
            "options.x.enum: is for strings and lists of strings only");
  EXPECT_EQ(fault_of(R"({"x": {"type": "string", "minimum": 1, "description": "d"}})"),
            "options.x.minimum: is for integers and durations only");
}

}  // namespace
}  // namespace ccm::plugin_files
