// Statements about the API server, the cloud and the managers that can be true or not yet.
#pragma once

#include "api_proxy.hpp"
#include "managers.hpp"
#include "matcher.hpp"
#include "world.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::e2e {

// The time of the steady clock, for marks.
double seconds_now();

class Expectations {
 public:
  // proxy: between the managers and the API server; null when there is none.
  Expectations(World& world, Managers& managers, const ApiProxy* proxy, const Memory& memory);

  // Empty if the statement holds now, else why not. Throws std::runtime_error for a statement of an
  // unknown form.
  std::string problem(const nlohmann::json& statement);
  // The problems of all statements of a list, one line each.
  std::string problems(const nlohmann::json& statements);

 private:
  std::string object(const nlohmann::json& statement);
  std::string missing(const nlohmann::json& reference);
  std::string all(const nlohmann::json& what);
  std::string event(const nlohmann::json& what);
  std::string calls(const nlohmann::json& what);
  std::string requests(const nlohmann::json& what);
  std::string in_cloud(const char* collection, const nlohmann::json& what);
  std::string log(const nlohmann::json& what);
  std::string exit(const nlohmann::json& what);
  std::string elapsed(const nlohmann::json& what);
  std::string running(const nlohmann::json& name);

  World& world_;
  Managers& managers_;
  const ApiProxy* proxy_;
  const Memory& memory_;
};

}  // namespace ccm::e2e
