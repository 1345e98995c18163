#include "openstack_api/identity/identity.hpp"

#include <array>
#include <utility>

namespace ccm::openstack_api {
namespace {

// A role that comes with another.
std::set<std::string> with_implied(std::set<std::string> roles) {
  if (roles.contains("admin")) roles.insert({"manager", "member"});
  if (roles.contains("member")) roles.insert("reader");
  return roles;
}

json domain() { return {{"id", "default"}, {"name", "Default"}}; }

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

Answer identity_error(int status, const std::string& title, const std::string& message) {
  return answer(status, {{"error", {{"code", status}, {"title", title}, {"message", message}}}});
}

Answer unauthenticated(const std::string& url) {
  Answer made =
      identity_error(401, "Unauthorized", "The request you have made requires authentication.");
  made.headers["www-authenticate"] = "Keystone uri=\"" + url + "/identity/v3\"";
  return made;
}

void Identity::unauthorized() const { throw Refusal{unauthenticated(world_.url)}; }

std::string Identity::add_project(const std::string& name) {
  const std::string id = world_.new_hex_id();
  projects_[id] = name;
  return id;
}

std::string Identity::add_user(const std::string& name, const std::string& password) {
  const std::string id = world_.new_hex_id();
  users_[id] = {id, name, password, "", {}};
  return id;
}

void Identity::grant(const std::string& user_id, const std::string& project_id,
                     const std::set<std::string>& roles) {
  User& user = users_.at(user_id);
  if (user.project_id.empty()) user.project_id = project_id;
  user.grants[project_id].merge(with_implied(roles));
}

void Identity::set_password(const std::string& user_id, const std::string& password) {
  users_.at(user_id).password = password;
}

void Identity::add_endpoint(const std::string& type, const std::string& region,
                            const std::string& url) {
  endpoints_.push_back({world_.new_hex_id(), type, region, url});
}

void Identity::remove_service(const std::string& type) {
  std::erase_if(endpoints_, [&](const Endpoint& endpoint) { return endpoint.type == type; });
}

const Identity::Token* Identity::valid(const std::string& token) const {
  const auto place = tokens_.find(token);
  const bool is = place != tokens_.end() && world_.clock() < place->second.expires_at;
  return is ? &place->second : nullptr;
}

std::optional<Caller> Identity::caller(const std::string& token) const {
  const Token* known = valid(token);
  if (known == nullptr) return std::nullopt;
  return Caller{known->user_id, known->project_id, known->roles};
}

Answer Identity::handle(const Call& call) {
  Answer made;
  try {
    made = dispatch(call);
  } catch (const Refusal& refusal) {
    made = refusal.answer;
  }
  made.headers["vary"] = "X-Auth-Token";
  return made;
}

Answer Identity::dispatch(const Call& call) {
  const auto& path = call.path;
  Answer made;
  if (path.empty() || (path.size() == 1 && path[0].empty())) {
    made = answer(300, {{"versions", {{"values", {versions()}}}}});
    made.headers["location"] = url() + "/v3/";
  } else if (path[0] == "v3" && (path.size() == 1 || path[1].empty())) {
    made = answer(200, {{"version", versions()}});
  } else if (path[0] == "v3" && path.size() == 3 && path[1] == "auth" && path[2] == "tokens") {
    made = tokens(call);
  } else {
    const Token* token = valid(call.request.header("x-auth-token"));
    if (token == nullptr) {
      made = unauthenticated(world_.url);
    } else if (path.size() == 3 && path[1] == "auth" && path[2] == "catalog") {
      made =
          answer(200, {{"catalog", catalog()}, {"links", {{"self", url() + "/v3/auth/catalog"}}}});
    } else if (path.size() >= 4 && path[1] == "users" && path[3] == "application_credentials") {
      made = credentials(call, *token);
    } else if (path.size() >= 3 && path[1] == "OS-TRUST" && path[2] == "trusts") {
      made = trusts(call, *token);
    } else {
      made.status = 404;
      made.body =
          "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not "
          "Found</h1>\n<p>The requested URL was "
          "not found on the server. If you entered the URL manually please check your spelling and "
          "try again.</p>\n";
      made.headers["content-type"] = "text/html; charset=utf-8";
    }
  }
  return made;
}

Answer Identity::tokens(const Call& call) {
  if (call.method() == "POST") return log_in(call);
  if (valid(call.request.header("x-auth-token")) == nullptr) return unauthenticated(world_.url);
  const std::string subject = call.request.header("x-subject-token");
  const Token* token = valid(subject);
  if (token == nullptr) {
    return identity_error(404, "Not Found",
                          subject.starts_with("gAAAAA") ? "Failed to validate token"
                                                        : "Could not recognize Fernet token");
  }
  if (call.method() == "DELETE") {
    revoke(subject);
    return answer(204, nullptr);
  }
  Answer made = answer(200, {{"token", describe(*token)}});
  made.headers["x-subject-token"] = subject;
  return made;
}

Answer Identity::credentials(const Call& call, const Token& token) {
  if (call.is("DELETE", 5)) {
    if (credentials_.erase(call.path[4]) == 0) {
      return identity_error(404, "Not Found",
                            "Could not find Application Credential: " + call.path[4] + ".");
    }
    std::erase_if(tokens_,
                  [&](const auto& known) { return known.second.credential_id == call.path[4]; });
    return answer(204, nullptr);
  }
  if (!call.is("POST", 4))
    return identity_error(405, "Method Not Allowed", "The method is not allowed.");
  const json wanted = json::parse(call.request.body).at("application_credential");
  Credential credential = {
      world_.new_hex_id(), wanted.at("name"), wanted.value("secret", world_.new_hex_id()),
      token.user_id,       token.project_id,  {}};
  for (const json& role : wanted.value("roles", json::array()))
    credential.roles.insert(role.at("name"));
  credential.roles = credential.roles.empty() ? token.roles : with_implied(credential.roles);
  const Credential& kept = credentials_[credential.id] = credential;
  return answer(201, {{"application_credential", describe(kept)}});
}

Answer Identity::trusts(const Call& call, const Token& token) {
  if (call.is("DELETE", 4)) {
    if (trusts_.erase(call.path[3]) == 0) {
      return identity_error(404, "Not Found", "Could not find trust: " + call.path[3] + ".");
    }
    std::erase_if(tokens_,
                  [&](const auto& known) { return known.second.trust_id == call.path[3]; });
    return answer(204, nullptr);
  }
  if (!call.is("POST", 3))
    return identity_error(405, "Method Not Allowed", "The method is not allowed.");
  const json wanted = json::parse(call.request.body).at("trust");
  Trust trust = {world_.new_hex_id(),
                 token.user_id,
                 wanted.at("trustee_user_id"),
                 wanted.at("project_id"),
                 {}};
  for (const json& role : wanted.at("roles")) trust.roles.insert(role.at("name"));
  trust.roles = with_implied(trust.roles);
  const Trust& kept = trusts_[trust.id] = trust;
  return answer(201, {{"trust", describe(kept)}});
}

std::string Identity::role_id(const std::string& name) const {
  return std::string(32 - 2 * std::min<size_t>(name.size(), 8), '0') + [&] {
    std::string hex;
    for (const char c : name.substr(0, 8)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += {kDigits[static_cast<unsigned char>(c) >> 4U],
              kDigits[static_cast<unsigned char>(c) & 15U]};
    }
    return hex;
  }();
}

json Identity::roles(const std::set<std::string>& names, bool details) const {
  json list = json::array();
  for (const std::string& name : names) {
    json role = {{"id", role_id(name)}, {"name", name}};
    if (details) {
      role.update(
          {{"description", nullptr}, {"domain_id", nullptr}, {"options", {{"immutable", true}}}});
    }
    list.push_back(std::move(role));
  }
  return list;
}

json Identity::describe(const Token& token) const {
  const User& user = users_.at(token.user_id);
  json out = {{"methods", token.methods},
              {"user",
               {{"domain", domain()},
                {"id", user.id},
                {"name", user.name},
                {"password_expires_at", nullptr}}},
              {"audit_ids", {"AAAAAAAAAAAAAAAAAAAAAA"}},
              {"expires_at", timestamp_of(token.expires_at, ".000000Z")},
              {"issued_at", timestamp_of(token.issued_at, ".000000Z")}};
  if (token.project_id.empty()) return out;
  out["project"] = {
      {"domain", domain()}, {"id", token.project_id}, {"name", projects_.at(token.project_id)}};
  out["roles"] = roles(token.roles, !token.trust_id.empty());
  out["catalog"] = catalog();
  if (token.trust_id.empty()) out["is_domain"] = false;
  if (const auto trust = trusts_.find(token.trust_id); trust != trusts_.end()) {
    out["OS-TRUST:trust"] = {{"id", trust->first},
                             {"impersonation", true},
                             {"trustee_user", {{"id", trust->second.trustee_id}}},
                             {"trustor_user", {{"id", trust->second.trustor_id}}}};
  }
  if (const auto place = credentials_.find(token.credential_id); place != credentials_.end()) {
    out["application_credential"] = {
        {"id", place->first}, {"name", place->second.name}, {"restricted", true}};
  }
  return out;
}

json Identity::describe(const Credential& credential) const {
  return {{"description", nullptr},
          {"expires_at", nullptr},
          {"id", credential.id},
          {"links", {{"self", url() + "/v3/application_credentials/" + credential.id}}},
          {"name", credential.name},
          {"project_id", credential.project_id},
          {"roles", roles(credential.roles, true)},
          {"secret", credential.secret},
          {"system", nullptr},
          {"unrestricted", nullptr},
          {"user_id", credential.user_id}};
}

json Identity::describe(const Trust& trust) const {
  // Implied roles are not shown here.
  json listed = json::array();
  for (const json& role : roles(trust.roles, true)) {
    if (role.at("name") == "reader" && trust.roles.contains("member")) continue;
    listed.push_back(role);
    listed.back()["links"] = {{"self", url() + "/v3/roles/" + role.at("id").get<std::string>()}};
  }
  return {
      {"deleted_at", nullptr},
      {"expires_at", nullptr},
      {"id", trust.id},
      {"impersonation", true},
      {"links", {{"self", url() + "/v3/OS-TRUST/trusts/" + trust.id}}},
      {"project_id", trust.project_id},
      {"redelegated_trust_id", nullptr},
      {"redelegation_count", 0},
      {"remaining_uses", nullptr},
      {"roles", std::move(listed)},
      {"roles_links",
       {{"next", nullptr}, {"previous", nullptr}, {"self", url() + "/v3/" + trust.id + "/roles"}}},
      {"trustee_user_id", trust.trustee_id},
      {"trustor_user_id", trust.trustor_id}};
}

json Identity::catalog() const {
  std::map<std::string, json> services;
  for (const Endpoint& endpoint : endpoints_) {
    const std::string name = endpoint.type == "identity" ? "keystone" : endpoint.type;
    json& service =
        services
            .try_emplace(endpoint.type,
                         json{{"id", endpoint.id}, {"type", endpoint.type}, {"name", name}})
            .first->second;
    for (const char* interface : {"admin", "internal", "public"}) {
      service["endpoints"].push_back({{"id", endpoint.id},
                                      {"interface", interface},
                                      {"region", endpoint.region},
                                      {"region_id", endpoint.region},
                                      {"url", world_.url + endpoint.url}});
    }
  }
  json list = json::array();
  for (auto& [type, service] : services) list.push_back(std::move(service));
  return list;
}

json Identity::versions() const {
  return {{"id", "v3.14"},
          {"links", json::array({{{"href", url() + "/v3/"}, {"rel", "self"}}})},
          {"media-types", json::array({{{"base", "application/json"},
                                        {"type", "application/vnd.openstack.identity-v3+json"}}})},
          {"status", "stable"},
          {"updated", "2020-04-07T00:00:00Z"}};
}

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
