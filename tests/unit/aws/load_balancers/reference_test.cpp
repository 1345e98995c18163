// docs/aws-annotations.md is the table of the plugin's manifest.
#include "aws/annotation_names.hpp"
#include "aws/load_balancers/annotations.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace ccm::aws {
namespace {

using nlohmann::json;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string table() {
  std::string text = "| annotation | values | default | meaning |\n| --- | --- | --- | --- |\n";
  const json manifest = json::parse(text_of_file(CCM_AWS_MANIFEST));
  for (const json& known : manifest.at("serviceAnnotations").at("known")) {
    text += "| `" + known.at("name").get<std::string>() + "`";
    for (const char* column : {"values", "default", "description"}) {
      text += " | " + known.at(column).get<std::string>();
    }
    text += " |\n";
  }
  return text;
}

TEST(AwsReferenceTest, ThePageHasTheTableOfTheManifest) {
  const std::string made = table();
  const std::string page = text_of_file(CCM_AWS_ANNOTATIONS);
  const std::string written = ::testing::TempDir() + "aws-annotations-table.md";
  if (page.find(made) == std::string::npos) std::ofstream(written) << made;
  EXPECT_NE(page.find(made), std::string::npos)
      << "the table of " << CCM_AWS_ANNOTATIONS << " is to be that of " << written;
}

TEST(AwsReferenceTest, EveryAnnotationBeginsWithThePrefixAndStandsOnce) {
  std::set<std::string_view> names;
  for (const std::string_view name : annotation::kAll) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(name.starts_with(kAnnotationPrefix)) << name;
  }
}

}  // namespace
}  // namespace ccm::aws
