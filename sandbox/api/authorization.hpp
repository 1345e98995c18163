#pragma once

#include "api/authentication.hpp"

#include <string>
#include <vector>

namespace sandbox {

// An attempted action; the attributes of RBAC.
struct Attributes {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string name_space;
  std::string name;
  std::string path;  // of a request that concerns no resource
};

// Every authenticated user may do everything except for actions that a deny rule forbids.
class Authorizer {
 public:
  // `rules`: list of {"user","verb","group","resource","subresource","namespace","name"}, each
  // member optional and "*" for any. Throws ApiError 400 if it is something else.
  void set_rules(const Json& rules);
  const Json& rules() const { return rules_; }

  bool allowed(const User& user, const Attributes& attributes) const;
  // The message of the 403 for a request that is not allowed.
  static std::string refusal(const User& user, const Attributes& attributes);

 private:
  Json rules_ = Json::array();
};

}  // namespace sandbox
