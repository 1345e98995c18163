#include "login.hpp"

#include "openstack/config/invalid_configuration.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// A name or ID, and how the description calls it.
const std::string& either(const std::string& first, const std::string& second) {
  return first.empty() ? second : first;
}

class LoginBuilder {
 public:
  explicit LoginBuilder(const GlobalSettings& global) : global_(global) {}

  Result<LoginRequest> build() {
    Status status;
    if (!global_.trust_id.empty()) {
      status = by_trust();
    } else if (!global_.token.empty()) {
      status = by_token();  // OS-67: before a password
    } else if (!global_.password.empty()) {
      status = by_password();
    } else if (has_credential()) {
      status = by_credential();
    } else {
      status = invalid_configuration(
          "[Global] says neither password, nor application-credential-id or "
          "application-credential-name, nor token: there is nothing to log in with");
    }
    if (!status.ok()) return status;
    return LoginRequest{Secret(json{{"auth", auth_}}.dump()), description_};
  }

 private:
  [[nodiscard]] bool has_credential() const {
    return !global_.application_credential_id.empty() ||
           !global_.application_credential_name.empty();
  }

  void method(const char* name, json body) {
    auth_["identity"] = {{"methods", json::array({name})}, {name, std::move(body)}};
  }

  // {"id": ...} or {"name": ...}; null when neither is given.
  static json named(const std::string& id, const std::string& name) {
    if (!id.empty()) return {{"id", id}};
    if (!name.empty()) return {{"name", name}};
    return nullptr;
  }

  // OS-68: the options of the user's domain, else those of both.
  [[nodiscard]] json user_domain() const {
    json domain = named(global_.user_domain_id, global_.user_domain_name);
    return domain.is_null() ? named(global_.domain_id, global_.domain_name) : domain;
  }

  Status user(json& into) const {
    if (!global_.user_id.empty() && !global_.username.empty()) {
      return invalid_configuration("[Global] user-id and username: give one of them");
    }
    if (!global_.user_id.empty()) {
      into = {{"id", global_.user_id}};
      return {};
    }
    if (global_.username.empty()) {
      return invalid_configuration("[Global] username or user-id is missing");
    }
    json domain = user_domain();
    if (domain.is_null()) {
      return invalid_configuration(
          "[Global] username needs user-domain-id, user-domain-name, domain-id or domain-name");
    }
    into = {{"name", global_.username}, {"domain", std::move(domain)}};
    return {};
  }

  Status by_password() {
    json who;
    if (Status status = user(who); !status.ok()) return status;
    who["password"] = global_.password.reveal();
    method("password", {{"user", std::move(who)}});
    description_ = "user " + either(global_.username, global_.user_id) + " by password";
    // OS-73: then the user's default project decides.
    return has_credential() ? Status() : scope();
  }

  // OS-70: such a token may be renewed only with a scope.
  Status by_token() {
    method("token", {{"id", global_.token.reveal()}});
    description_ = "by token";
    if (Status status = scope(); !status.ok()) return status;
    if (auth_.contains("scope")) return {};
    return invalid_configuration(
        "[Global] token needs tenant-id, tenant-name, domain-id or domain-name beside it");
  }

  // OS-71, OS-72: without a scope, which the credential has.
  Status by_credential() {
    if (global_.application_credential_secret.empty()) {
      return invalid_configuration("[Global] application-credential-secret is missing");
    }
    json credential = {{"secret", global_.application_credential_secret.reveal()}};
    if (!global_.application_credential_id.empty()) {
      credential["id"] = global_.application_credential_id;
    } else {
      credential["name"] = global_.application_credential_name;
      if (Status status = user(credential["user"]); !status.ok()) {
        return status.with_context("[Global] application-credential-name is one of a user's");
      }
    }
    method("application_credential", std::move(credential));
    description_ = "application credential " +
                   either(global_.application_credential_id, global_.application_credential_name);
    return {};
  }

  // OS-76. The trustee's options replace those of the user.
  Status by_trust() {
    const Secret& password =
        global_.trustee_password.empty() ? global_.password : global_.trustee_password;
    const bool named =
        !global_.trustee_id.empty() || !global_.user_id.empty() || !global_.username.empty();
    if (!named || password.empty()) {
      return invalid_configuration(
          "[Global] trust-id needs the user whom the trust is for: trustee-id and "
          "trustee-password, or user-id or username, and password");
    }
    json who;
    if (!global_.trustee_id.empty()) {
      if (!global_.username.empty()) {
        return invalid_configuration(
            "[Global] username and trustee-id: the trustee logs in, so leave username out");
      }
      who["id"] = global_.trustee_id;
      description_ = "trustee " + global_.trustee_id;
    } else {
      if (Status status = user(who); !status.ok()) return status;
      description_ = "user " + either(global_.username, global_.user_id);
    }
    who["password"] = password.reveal();
    method("password", {{"user", std::move(who)}});
    auth_["scope"] = {{"OS-TRUST:trust", {{"id", global_.trust_id}}}};
    description_ += " by trust " + global_.trust_id;
    return {};
  }

  // OS-74, OS-75
  Status scope() {
    if (!global_.tenant_id.empty()) {
      auth_["scope"] = {{"project", {{"id", global_.tenant_id}}}};
      description_ += ", project " + global_.tenant_id;
      return {};
    }
    if (!global_.tenant_name.empty()) {
      json domain = named(global_.tenant_domain_id, global_.tenant_domain_name);
      if (domain.is_null()) domain = named(global_.domain_id, global_.domain_name);
      if (domain.is_null()) {
        return invalid_configuration(
            "[Global] tenant-name needs tenant-domain-id, tenant-domain-name, domain-id or "
            "domain-name");
      }
      auth_["scope"] = {
          {"project", {{"name", global_.tenant_name}, {"domain", std::move(domain)}}}};
      description_ += ", project " + global_.tenant_name;
      return {};
    }
    json domain = named(global_.domain_id, global_.domain_name);
    if (domain.is_null()) return {};
    auth_["scope"] = {{"domain", std::move(domain)}};
    description_ += ", domain " + either(global_.domain_id, global_.domain_name);
    return {};
  }

  const GlobalSettings& global_;
  json auth_ = json::object();
  std::string description_;
};

}  // namespace

Result<LoginRequest> login_request(const GlobalSettings& global) {
  return LoginBuilder(global).build();
}

}  // namespace ccm::openstack
