// Checks JSON against the schemas of an OpenAPI 3.0 description: the part of the language that
// DigitalOcean's description uses. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace ccm::digitalocean_api {

class Description {
 public:
  explicit Description(nlohmann::json document) : document_(std::move(document)) {}

  // The faults of one exchange, one line each; empty = none. `path` is without its query.
  // A status that the description does not declare is let pass when it is an error (DO-325).
  [[nodiscard]] std::vector<std::string> check(const std::string& method, const std::string& path,
                                               const std::string& request_body, int status,
                                               const std::string& response_body) const;

 private:
  using json = nlohmann::json;
  const json* operation(const std::string& method, const std::string& path) const;
  const json& resolved(const json& schema) const;
  bool valid(const json& schema, const json& value, const std::string& place,
             std::vector<std::string>& faults) const;
  bool valid_combination(const json& schema, const json& value, const std::string& place,
                         std::vector<std::string>& faults) const;
  bool valid_type(const json& schema, const json& value, const std::string& place,
                  std::vector<std::string>& faults) const;
  bool valid_members(const json& schema, const json& value, const std::string& place,
                     std::vector<std::string>& faults) const;

  json document_;
};

}  // namespace ccm::digitalocean_api
