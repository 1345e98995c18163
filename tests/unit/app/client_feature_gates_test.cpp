#include "app/flags/feature_gates.hpp"
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ccm::app {
namespace {

using Environment = std::map<std::string, std::string>;

ClientFeatureGates gates_of(const Environment& environment) {
  ClientFeatureGates gates;
  gates.read([&environment](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
  return gates;
}

std::vector<std::string> lines_of(const Environment& environment) {
  std::vector<std::string> lines;
  log::redirect([&lines](std::string_view text) { lines.emplace_back(text); });
  gates_of(environment).log();
  log::redirect({});
  return lines;
}

TEST(ClientFeatureGates, HOST_143_StreamedListsAreOnUnlessSwitchedOff) {
  EXPECT_TRUE(gates_of({}).watch_list());
  EXPECT_TRUE(gates_of({{"KUBE_FEATURE_WatchListClient", "true"}}).watch_list());
  EXPECT_FALSE(gates_of({{"KUBE_FEATURE_WatchListClient", "false"}}).watch_list());
  EXPECT_FALSE(gates_of({{"KUBE_FEATURE_WatchListClient", "0"}}).watch_list());
  EXPECT_TRUE(gates_of({{"KUBE_FEATURE_WatchListClient", "no"}}).watch_list()) << "refused";
}

TEST(ClientFeatureGates, HOST_143_WhatChangesNothingIsOneLine) {
  EXPECT_TRUE(lines_of({}).empty());
  EXPECT_TRUE(lines_of({{"KUBE_FEATURE_WatchListClient", "false"}}).empty()) << "verbosity 1";
  EXPECT_TRUE(lines_of({{"KUBE_FEATURE_Unknown", "x"}}).empty()) << "as client-go";
  const auto lines = lines_of({{"KUBE_FEATURE_AtomicFIFO", "false"},
                               {"KUBE_FEATURE_ClientsPreferCBOR", "true"},
                               {"KUBE_FEATURE_InOrderInformers", "true"}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("Feature gates of the environment have no effect"), std::string::npos);
  EXPECT_NE(lines[0].find("KUBE_FEATURE_AtomicFIFO, KUBE_FEATURE_ClientsPreferCBOR, "
                          "KUBE_FEATURE_InOrderInformers"),
            std::string::npos);
}

TEST(ClientFeatureGates, HOST_143_WhatCannotBeSetIsAnError) {
  auto lines = lines_of({{"KUBE_FEATURE_WatchListClient", "no"}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("must be true or false"), std::string::npos);
  EXPECT_NE(lines[0].find("KUBE_FEATURE_WatchListClient"), std::string::npos);
  lines = lines_of({{"KUBE_FEATURE_InOrderInformers", "false"}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("locked"), std::string::npos);
}

}  // namespace
}  // namespace ccm::app
