// Runs one scenario.
#pragma once

#include "api_proxy.hpp"
#include "expectation.hpp"
#include "managers.hpp"
#include "matcher.hpp"
#include "scenario.hpp"
#include "world.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace ccm::e2e {

class Runner {
 public:
  // folder: of this scenario, for its files and logs.
  Runner(World& world, Scenario scenario, const std::filesystem::path& folder);

  // Throws std::runtime_error that says which step failed and why.
  void run();
  // Names, states and logs of the managers.
  std::string report() { return managers_.report(); }

 private:
  void prepare();
  void run_step(const nlohmann::json& step);
  void create(const nlohmann::json& object);
  void patch(const nlohmann::json& what);
  void remove(const nlohmann::json& reference);
  void cloud(const nlohmann::json& what);
  void put(const std::string& collection, const nlohmann::json& what);
  void api(const nlohmann::json& what);
  void manager(const nlohmann::json& what);
  void remember(const nlohmann::json& what);
  void file(const nlohmann::json& what);
  void mark(const nlohmann::json& name);
  void expect(const nlohmann::json& what);
  void check(const nlohmann::json& statements);
  void settle(const nlohmann::json& what);
  void settle_nodes();
  void settle_addresses();
  void settle_services();
  std::string create_marker();
  void remove_marker(const std::string& name);
  void await(const nlohmann::json& statements, std::chrono::milliseconds timeout);

  World& world_;
  Scenario scenario_;
  std::filesystem::path folder_;
  std::unique_ptr<ApiProxy> proxy_;  // only if the managers go through it
  Memory memory_;
  Managers managers_;
  Expectations expectations_;
  int markers_ = 0;
};

}  // namespace ccm::e2e
