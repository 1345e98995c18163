// Keystone v3: logins by password, token, application credential and trust; tokens that end and can
// be revoked; the catalog.
#pragma once

#include "openstack_api/world.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class Identity {
 public:
  explicit Identity(World& world) : world_(world) {}

  Answer handle(const Call& call);
  // The owner of that token; nothing when it is none, or is none any more.
  [[nodiscard]] std::optional<Caller> caller(const std::string& token) const;

  // Settings.
  milliseconds token_lifetime{3'600'000};
  std::string add_project(const std::string& name);
  // Its own project is the one of the first grant.
  std::string add_user(const std::string& name, const std::string& password);
  void grant(const std::string& user_id, const std::string& project_id,
             const std::set<std::string>& roles);
  void set_password(const std::string& user_id, const std::string& password);
  // One entry for each service and region; "{url}" is replaced by the fake's.
  void add_endpoint(const std::string& type, const std::string& region, const std::string& url);
  void remove_service(const std::string& type);
  void revoke(const std::string& token) { tokens_.erase(token); }
  void revoke_all() { tokens_.clear(); }
  [[nodiscard]] const std::map<std::string, std::string>& projects() const { return projects_; }

 private:
  struct User {
    std::string id;
    std::string name;
    std::string password;
    std::string project_id;                               // its own
    std::map<std::string, std::set<std::string>> grants;  // project -> roles
  };
  struct Credential {
    std::string id;
    std::string name;
    std::string secret;
    std::string user_id;
    std::string project_id;
    std::set<std::string> roles;
  };
  struct Trust {
    std::string id;
    std::string trustor_id;
    std::string trustee_id;
    std::string project_id;
    std::set<std::string> roles;
  };
  struct Token {
    std::string user_id;
    std::string project_id;  // empty = unscoped
    std::set<std::string> roles;
    json methods = json::array();
    std::string credential_id;
    std::string trust_id;
    milliseconds issued_at{0};
    milliseconds expires_at{0};
  };
  struct Endpoint {
    std::string id;
    std::string type;
    std::string region;
    std::string url;
  };
  using Method = const std::string&;

  Answer dispatch(const Call& call);
  Answer log_in(const Call& call);
  Token by_password(const json& part);
  Token by_token(const json& part);
  Token by_credential(const json& part, bool with_scope);
  void apply_scope(const json& scope, Token& token);
  void apply_trust(const std::string& id, Token& token);
  void use_project(const std::string& project_id, Token& token);
  const User* named_user(const json& user) const;
  [[nodiscard]] const Credential& find_credential(const json& part) const;
  Answer tokens(const Call& call);
  Answer credentials(const Call& call, const Token& token);
  Answer trusts(const Call& call, const Token& token);
  [[nodiscard]] json describe(const Token& token) const;
  [[nodiscard]] json describe(const Trust& trust) const;
  [[nodiscard]] json describe(const Credential& credential) const;
  [[nodiscard]] json catalog() const;
  [[nodiscard]] json roles(const std::set<std::string>& names, bool details) const;
  [[nodiscard]] json versions() const;
  [[nodiscard]] const Token* valid(const std::string& token) const;
  [[nodiscard]] std::string url() const { return world_.url + "/identity"; }
  [[nodiscard]] std::string role_id(const std::string& name) const;
  [[noreturn]] void unauthorized() const;

  World& world_;
  std::map<std::string, std::string> projects_;  // id -> name
  std::map<std::string, User> users_;
  std::map<std::string, Credential> credentials_;
  std::map<std::string, Trust> trusts_;
  std::map<std::string, Token> tokens_;
  std::vector<Endpoint> endpoints_;
};

// The answer of every service to a token that it does not take; `url` is the fake's.
Answer unauthenticated(const std::string& url);

// In Keystone's form.
Answer identity_error(int status, const std::string& title, const std::string& message);

}  // namespace ccm::openstack_api
