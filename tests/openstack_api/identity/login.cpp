// POST /v3/auth/tokens.
#include "openstack_api/identity/identity.hpp"

namespace ccm::openstack_api {
namespace {

const std::set<std::string> kMethods = {
    "application_credential", "external", "mapped", "oauth1", "password", "token"};

[[noreturn]] void expecting(const std::string& what) {
  throw Refusal{identity_error(
      400, "Bad Request",
      "Expecting to find " + what +
          ". The server could not comply with the request since it is either malformed or "
          "otherwise incorrect. The client is assumed to be in error.")};
}

const json& part_of(const json& object, const std::string& name, const std::string& in) {
  if (!object.is_object() || !object.contains(name)) expecting(name + " in " + in);
  return object.at(name);
}

}  // namespace

Answer Identity::log_in(const Call& call) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (body.is_discarded()) expecting("valid JSON in request body");
  const json& auth = part_of(body, "auth", "request body");
  if (!auth.is_object() || !auth.contains("identity")) {
    throw Refusal{identity_error(400, "Bad Request", "'identity' is a required property")};
  }
  const json& identity = auth.at("identity");
  const json scope = auth.value("scope", json());
  if (scope.is_object() && scope.contains("project")) {
    const json& project = scope.at("project");
    if (!project.contains("id")) part_of(project, "domain", "project");
  }
  const json& methods = part_of(identity, "methods", "identity");
  for (const json& method : methods) {
    if (!kMethods.contains(method)) {
      json refused = {{"code", 401},
                      {"identity", {{"methods", kMethods}}},
                      {"message", "Attempted to authenticate with an unsupported method."},
                      {"title", "Unauthorized"}};
      Answer made = unauthenticated(world_.url);
      made.body = json({{"error", std::move(refused)}}).dump();
      throw Refusal{std::move(made)};
    }
    part_of(identity, method, "identity");
  }
  if (methods.size() != 1) unauthorized();
  const std::string method = methods[0];
  const json& part = identity.at(method);
  Token token = method == "password" ? by_password(part)
                : method == "token"  ? by_token(part)
                                     : by_credential(part, !scope.is_null());
  token.methods.push_back(method);
  if (method != "application_credential") apply_scope(scope, token);
  token.issued_at = world_.clock();
  token.expires_at = token.issued_at + token_lifetime;
  const std::string value = "gAAAAA" + std::string(160, 'b') + world_.new_hex_id();
  const Token& kept = tokens_[value] = std::move(token);
  Answer made = answer(201, {{"token", describe(kept)}});
  made.headers["x-subject-token"] = value;
  return made;
}

const Identity::User* Identity::named_user(const json& user) const {
  if (user.contains("id")) {
    const auto place = users_.find(user.at("id").get<std::string>());
    return place != users_.end() ? &place->second : nullptr;
  }
  const json& domain = part_of(user, "domain", "user");
  if (domain.value("id", "default") != "default" || domain.value("name", "Default") != "Default")
    return nullptr;
  for (const auto& [id, known] : users_) {
    if (known.name == user.value("name", "")) return &known;
  }
  return nullptr;
}

Identity::Token Identity::by_password(const json& part) {
  const json& given = part_of(part, "user", "password");
  const User* user = named_user(given);
  if (user == nullptr || user->password != given.value("password", "")) unauthorized();
  Token token;
  token.user_id = user->id;
  return token;
}

Identity::Token Identity::by_token(const json& part) {
  const std::string id = part_of(part, "id", "token");
  const Token* known = valid(id);
  if (known == nullptr) {
    throw Refusal{identity_error(404, "Not Found",
                                 id.starts_with("gAAAAA") ? "Failed to validate token"
                                                          : "Could not recognize Fernet token")};
  }
  Token token;
  token.user_id = known->user_id;
  token.methods = known->methods;
  return token;
}

const Identity::Credential& Identity::find_credential(const json& part) const {
  const std::string name =
      part.contains("id") ? part.at("id") : part_of(part, "name", "application_credential");
  const User* user =
      part.contains("id") ? nullptr : named_user(part_of(part, "user", "application_credential"));
  for (const auto& [id, credential] : credentials_) {
    if (user == nullptr ? id == name : credential.name == name && credential.user_id == user->id)
      return credential;
  }
  throw Refusal{
      identity_error(404, "Not Found", "Could not find Application Credential: " + name + ".")};
}

Identity::Token Identity::by_credential(const json& part, bool with_scope) {
  if (with_scope) {
    Answer refused = unauthenticated(world_.url);
    refused.body = json({{"error",
                          {{"code", 401},
                           {"identity", json::object()},
                           {"message",
                            "Error authenticating with application credential: Application "
                            "credentials cannot request "
                            "a scope."},
                           {"title", "Unauthorized"}}}})
                       .dump();
    throw Refusal{std::move(refused)};
  }
  const Credential& credential = find_credential(part);
  if (credential.secret != part.value("secret", "")) unauthorized();
  Token token;
  token.user_id = credential.user_id;
  token.project_id = credential.project_id;
  token.roles = credential.roles;
  token.credential_id = credential.id;
  return token;
}

void Identity::apply_scope(const json& scope, Token& token) {
  if (scope == "unscoped") return;
  if (scope.is_null()) {
    const std::string own = users_.at(token.user_id).project_id;
    if (!own.empty()) use_project(own, token);
    return;
  }
  if (scope.contains("OS-TRUST:trust"))
    return apply_trust(scope.at("OS-TRUST:trust").at("id"), token);
  if (!scope.contains("project")) unauthorized();  // nobody has a role in the domain
  const json& project = scope.at("project");
  if (project.contains("id")) return use_project(project.at("id"), token);
  for (const auto& [id, name] : projects_) {
    if (name == project.value("name", "")) return use_project(id, token);
  }
  unauthorized();
}

void Identity::apply_trust(const std::string& id, Token& token) {
  const auto trust = trusts_.find(id);
  if (trust == trusts_.end()) {
    throw Refusal{identity_error(404, "Not Found", "Could not find trust: " + id + ".")};
  }
  if (trust->second.trustee_id != token.user_id) {
    throw Refusal{identity_error(403, "Forbidden",
                                 "You are not authorized to perform the requested action.")};
  }
  token.user_id = trust->second.trustor_id;
  token.project_id = trust->second.project_id;
  token.roles = trust->second.roles;
  token.trust_id = id;
}

void Identity::use_project(const std::string& project_id, Token& token) {
  const User& user = users_.at(token.user_id);
  const auto grant = user.grants.find(project_id);
  if (grant == user.grants.end()) unauthorized();
  token.project_id = project_id;
  token.roles = grant->second;
}

}  // namespace ccm::openstack_api
