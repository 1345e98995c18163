// docs/digitalocean-facts.md: it leaves out no fact, and the tests that it names are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace ccm::digitalocean {
namespace {

constexpr int kFacts = 390;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first column of each row: "DO-1..DO-5, DO-7".
std::set<int> facts_of(const std::string& page) {
  static const std::regex kRow("\n\\| (DO-[^|]*) \\|");
  static const std::regex kRange("DO-([0-9]+)(?:\\.\\.DO-([0-9]+))?");
  std::set<int> found;
  for (std::sregex_iterator row(page.begin(), page.end(), kRow), end; row != end; ++row) {
    const std::string cell = (*row)[1];
    for (std::sregex_iterator range(cell.begin(), cell.end(), kRange); range != end; ++range) {
      const int first = std::stoi((*range)[1]);
      const int last = (*range)[2].matched ? std::stoi((*range)[2]) : first;
      for (int fact = first; fact <= last; ++fact) {
        EXPECT_TRUE(found.insert(fact).second) << "DO-" << fact << " stands twice";
      }
    }
  }
  return found;
}

TEST(DigitalOceanFactsTest, NoFactIsMissing) {
  const std::set<int> found = facts_of(content(CCM_DO_FACTS));
  for (int fact = 1; fact <= kFacts; ++fact) EXPECT_TRUE(found.contains(fact)) << "DO-" << fact;
  EXPECT_EQ(*found.rbegin(), kFacts);
}

TEST(DigitalOceanFactsTest, TheTestsThatAreNamedAreThere) {
  std::string sources;
  for (const char* folder : {"unit/digitalocean", "unit/service", "unit/app", "digitalocean_api"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(CCM_DO_TESTS) / folder)) {
      if (entry.path().extension() == ".cpp") sources += content(entry.path());
    }
  }
  const std::string page = content(CCM_DO_FACTS);
  static const std::regex kName(
      "`(?:[A-Za-z]+\\.)?((?:[A-Z][A-Za-z]*[0-9_][A-Za-z0-9_]*)|"
      "(?:[A-Z][a-z]+[A-Z][A-Za-z]+))`");
  int named = 0;
  for (std::sregex_iterator name(page.begin(), page.end(), kName), end; name != end; ++name) {
    const std::string test = (*name)[1];
    const auto small = [](unsigned char c) { return std::islower(c) != 0; };
    if (std::none_of(test.begin(), test.end(), small)) continue;  // a variable of the environment
    ++named;
    EXPECT_NE(sources.find(test + ")"), std::string::npos) << test;
  }
  EXPECT_GT(named, 100);
}

}  // namespace
}  // namespace ccm::digitalocean
