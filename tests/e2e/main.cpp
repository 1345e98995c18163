// One GoogleTest for each scenario file. Suite = folder, name = file and its facts.
#include "runner.hpp"
#include "scenario.hpp"
#include "world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

namespace ccm::e2e {
namespace {

namespace fs = std::filesystem;

class WorldEnvironment : public ::testing::Environment {
 public:
  void TearDown() override {
    if (world_ && ::testing::UnitTest::GetInstance()->Failed()) {
      world_->keep_folder();
      std::cerr << "Logs are kept: " << world_->folder().string() << "\n";
    }
    world_.reset();
  }
  // Started by the first scenario, so that listing tests starts nothing.
  World& world() {
    if (!world_) world_ = std::make_unique<World>();
    return *world_;
  }

 private:
  std::unique_ptr<World> world_;
};

class ScenarioTest : public ::testing::Test {
 public:
  ScenarioTest(WorldEnvironment& environment, Scenario scenario)
      : environment_(environment), scenario_(std::move(scenario)) {}

  void TestBody() override {
    World& world = environment_.world();
    const std::string name =
        scenario_.file.parent_path().filename().string() + "-" + scenario_.file.stem().string();
    const fs::path folder = world.folder() / name;
    fs::create_directories(folder);
    Runner runner(world, scenario_, folder);
    try {
      runner.run();
    } catch (const std::exception& error) {
      FAIL() << scenario_.file.string() << "\n"
             << scenario_.about << "\n"
             << error.what() << "\n"
             << runner.report();
    }
  }

 private:
  WorldEnvironment& environment_;
  Scenario scenario_;
};

std::string test_name(const Scenario& scenario) {
  std::string name = scenario.file.stem().string();
  for (const std::string& fact : scenario.facts) name += "_" + fact;
  // GoogleTest takes "-" in a filter for a negation.
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<fs::path> scenario_files(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void register_scenarios(const fs::path& root, WorldEnvironment& environment) {
  for (const fs::path& file : scenario_files(root)) {
    const Scenario scenario = read_scenario(file);
    ::testing::RegisterTest(file.parent_path().filename().c_str(), test_name(scenario).c_str(),
                            nullptr, nullptr, file.c_str(), 1,
                            [&environment, scenario]() -> ScenarioTest* {
                              return new ScenarioTest(environment, scenario);
                            });
  }
}

}  // namespace
}  // namespace ccm::e2e

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  auto* const environment = new ccm::e2e::WorldEnvironment;
  ::testing::AddGlobalTestEnvironment(environment);  // owns it
  const char* named = std::getenv("CCM_SCENARIOS");
  const std::filesystem::path root = argc > 1 ? argv[1] : named != nullptr ? named : CCM_SCENARIOS;
  try {
    ccm::e2e::register_scenarios(root, *environment);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
