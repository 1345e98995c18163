#include "plugin_files/service_annotations.hpp"

#include "plugin_files/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::plugin_files {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

json manifest_with(json known) {
  json manifest = json::parse(R"({"id": "a.b", "version": "1.0.0", "abi": "1.0",
      "components": [{"kind": "provider", "name": "b"}]})");
  manifest["serviceAnnotations"] = {{"prefixes", json::array({"b/"})}, {"known", std::move(known)}};
  return manifest;
}

class ServiceAnnotationsTest : public ::testing::Test {
 protected:
  // Why the annotation has no effect beside the others.
  std::vector<std::string> why(const json& known, const std::string& value) {
    const auto report = parse_service_annotations(manifest_with(json::array({known})).dump());
    EXPECT_THAT(report.faults, IsEmpty());
    const auto others = [this](std::string_view name) -> const std::string* {
      const auto place = others_.find(std::string(name));
      return place == others_.end() ? nullptr : &place->second;
    };
    const auto environment = [this](const std::string& name) { return environment_[name]; };
    return why_without_effect(report.table->known.at(0), value, others, environment);
  }

  std::map<std::string, std::string> others_;
  std::map<std::string, std::string> environment_;
};

TEST_F(ServiceAnnotationsTest, AnAnnotationThatNeedsAnother) {
  const json known = {{"name", "b/port"}, {"requires", {{"*", {"b/override"}}, {"x", {"b/more"}}}}};
  EXPECT_THAT(why(known, "80"), ElementsAre("has no effect: it needs the annotation b/override"));
  EXPECT_THAT(why(known, "x"), SizeIs(2));
  others_ = {{"b/override", ""}};
  EXPECT_THAT(why(known, "80"), IsEmpty());
}

TEST_F(ServiceAnnotationsTest, AnAnnotationThatAnotherOverrides) {
  const json known = {{"name", "b/name"}, {"overriddenBy", {"b/id", "b/port"}}};
  EXPECT_THAT(why(known, "n"), IsEmpty());
  others_ = {{"b/id", "7"}};
  EXPECT_THAT(why(known, "n"), ElementsAre("has no effect beside the annotation b/id"));
}

TEST_F(ServiceAnnotationsTest, AnAnnotationThatIsReadWithSomeValuesOfAnother) {
  const json known = {{"name", "b/tls"},
                      {"onlyWith",
                       {{"annotation", "b/type"},
                        {"values", {"BIG"}},
                        {"default", "SMALL"},
                        {"environment", "B_TYPE"}}}};
  EXPECT_THAT(why(known, "x"), ElementsAre("has no effect without b/type: BIG, since the default "
                                           "is SMALL (B_TYPE says another one)"));
  environment_["B_TYPE"] = "BIG";
  EXPECT_THAT(why(known, "x"), IsEmpty());
  others_ = {{"b/type", "SMALL"}};
  EXPECT_THAT(why(known, "x"),
              ElementsAre("has no effect where b/type is \"SMALL\", only with BIG"));
  others_ = {{"b/type", std::string(63, 'x') + "\u00e4" + std::string(1'000, 'x')}};
  EXPECT_THAT(why(known, "x"), ElementsAre(HasSubstr("\"" + std::string(63, 'x') + "...\"")));
}

TEST_F(ServiceAnnotationsTest, WithoutADefaultNothingIsSaidWhenTheOtherIsNotThere) {
  const json known = {
      {"name", "b/delay"},
      {"onlyWith", json::array({{{"annotation", "b/monitor"}, {"values", {"true"}}},
                                {{"annotation", "b/kind"}, {"values", {"a", ""}}}})}};
  EXPECT_THAT(why(known, "5"), IsEmpty());
  others_ = {{"b/monitor", "false"}, {"b/kind", "c"}};
  EXPECT_THAT(why(known, "5"),
              ElementsAre("has no effect where b/monitor is \"false\", only with true",
                          "has no effect where b/kind is \"c\", only with a, \"\""));
}

// Hosts before this one loaded such a plugin.
TEST_F(ServiceAnnotationsTest, AFaultInTheTableIsAWarning) {
  for (const json& wrong :
       {json{{"name", 1}}, json{{"name", "b/x"}, {"type", "colour"}},
        json{{"name", "b/x"}, {"type", "enum"}}, json{{"name", "b/x"}, {"onlyWith", "y"}},
        json{{"name", "b/x"}, {"requires", {{"*", 1}}}}, json("x")}) {
    const std::string text = manifest_with(json::array({wrong})).dump();
    const ManifestReport report = parse_manifest(text);
    ASSERT_TRUE(report.manifest.has_value()) << wrong;
    EXPECT_FALSE(report.manifest->service_annotations.has_value()) << wrong;
    ASSERT_THAT(report.warnings, testing::Not(IsEmpty())) << wrong;
    EXPECT_THAT(report.warnings[0], HasSubstr("serviceAnnotations.known[0]")) << wrong;
    EXPECT_THAT(parse_service_annotations(text).faults, testing::Not(IsEmpty())) << wrong;
  }
  const ManifestReport well =
      parse_manifest(manifest_with(json::array({{{"name", "b/x"}, {"colour", 1}}})).dump());
  EXPECT_TRUE(well.manifest->service_annotations.has_value());
  EXPECT_THAT(well.warnings, ElementsAre("serviceAnnotations.known[0].colour: unknown field, "
                                         "ignored"));
}

}  // namespace
}  // namespace ccm::plugin_files
