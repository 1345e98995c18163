#include "api/authorization.hpp"

#include "api/status.hpp"

namespace sandbox {
namespace {

bool fits(const Json& rule, const char* member, const std::string& value) {
  auto found = rule.find(member);
  return found == rule.end() || *found == "*" || *found == value;
}

}  // namespace

void Authorizer::set_rules(const Json& rules) {
  if (!rules.is_array()) throw bad_request("deny rules have to be a list");
  for (const Json& rule : rules) {
    if (!rule.is_object()) throw bad_request("a deny rule has to be an object");
    for (const Json& value : rule) {
      if (!value.is_string()) throw bad_request("members of deny rules have to be strings");
    }
  }
  rules_ = rules;
}

bool Authorizer::allowed(const User& user, const Attributes& attributes) const {
  for (const Json& rule : rules_) {
    bool denied = fits(rule, "user", user.name) && fits(rule, "verb", attributes.verb) &&
                  fits(rule, "group", attributes.group) &&
                  fits(rule, "resource", attributes.resource) &&
                  fits(rule, "subresource", attributes.subresource) &&
                  fits(rule, "namespace", attributes.name_space) &&
                  fits(rule, "name", attributes.name) && fits(rule, "path", attributes.path);
    if (denied) return false;
  }
  return true;
}

std::string Authorizer::refusal(const User& user, const Attributes& attributes) {
  std::string resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  std::string text = "User \"" + user.name + "\" cannot " + attributes.verb + " resource \"" +
                     resource + "\" in API group \"" + attributes.group + "\"";
  if (attributes.name_space.empty()) return text + " at the cluster scope";
  return text + " in the namespace \"" + attributes.name_space + "\"";
}

}  // namespace sandbox
