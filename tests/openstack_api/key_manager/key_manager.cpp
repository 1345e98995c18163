#include "openstack_api/key_manager/key_manager.hpp"

#include <regex>

namespace ccm::openstack_api {
namespace {

[[noreturn]] void deny(int status, const char* title, const std::string& description) {
  throw Refusal{answer(status, {{"code", status}, {"title", title}, {"description", description}})};
}

bool looks_like_id(const std::string& id) {
  static const std::regex kId("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}");
  return std::regex_match(id, kId);
}

}  // namespace

std::string KeyManager::reference(const std::string& kind, const std::string& id) const {
  return world_.url + url_ + "/v1/" + kind + "s/" + id;
}

bool KeyManager::has(const std::string& reference) const {
  const std::string id = reference.substr(reference.rfind('/') + 1);
  return secrets_.find(id) != nullptr || containers_.find(id) != nullptr;
}

bool KeyManager::is_text(const std::string& reference) const {
  const json* secret = secrets_.find(reference.substr(reference.rfind('/') + 1));
  return secret != nullptr && secret->at("content_types").at("default") == "text/plain";
}

Answer KeyManager::handle(const Call& call) {
  const auto add_version = [](Answer& made) {
    made.headers["openstack-api-version"] = "key-manager 1.0";
    made.headers["vary"] = "openstack-api-version";
  };
  try {
    Answer made = dispatch(call);
    add_version(made);
    return made;
  } catch (Refusal& refusal) {
    add_version(refusal.answer);
    throw;
  }
}

Answer KeyManager::dispatch(const Call& call) {
  const auto& path = call.path;
  if (path.empty() || path[0].empty()) {
    json version = {{"id", "v1"},
                    {"status", "stable"},
                    {"links", json::array({{{"rel", "self"}, {"href", world_.url + url_ + "/v1/"}},
                                           {{"rel", "describedby"},
                                            {"type", "text/html"},
                                            {"href", "https://docs.openstack.org/"}}})},
                    {"media-types",
                     json::array({{{"base", "application/json"},
                                   {"type", "application/vnd.openstack.key-manager-v1+json"}}})}};
    return answer(300, {{"versions", {{"values", {std::move(version)}}}}});
  }
  if (path[0] == "v1" && path.size() >= 2) {
    const bool containers = path[1] == "containers";
    if (containers || path[1] == "secrets") {
      Records& records = containers ? containers_ : secrets_;
      const std::string kind = containers ? "container" : "secret";
      return path.size() == 2 ? collection(call, records, kind) : object(call, records, kind);
    }
  }
  deny(404, "Not Found", "");
}

Answer KeyManager::object(const Call& call, Records& records, const std::string& kind) {
  const std::string& id = call.path[2];
  if (!looks_like_id(id)) deny(404, "Not Found", "Not Found. Provided " + kind + " id is invalid.");
  const json* record = records.find(id);
  if (record == nullptr)
    deny(404, "Not Found", kind == "secret" ? "Secret not found." : "Secrets container not found.");
  if (!call.caller.sees(record->at(".project_id"))) {
    const std::string what = kind == "secret" ? "Secret" : "Container";
    deny(403, "Forbidden",
         what + " retrieval attempt not allowed - please review your user/project privileges");
  }
  if (call.method() == "DELETE") {
    records.remove(id);
    return answer(204, nullptr);
  }
  json out = visible(*record);
  out.erase("id");
  return answer(200, out);
}

Answer KeyManager::collection(const Call& call, Records& records, const std::string& kind) {
  if (call.method() == "GET") {
    json list = json::array();
    for (const json& record : records) {
      const bool other = call.query.value("name").value_or(record.at("name")) != record.at("name");
      if (other || !call.caller.sees(record.at(".project_id"))) continue;
      list.push_back(visible(record));
      list.back().erase("id");
    }
    const size_t total = list.size();
    return answer(200, {{kind + "s", std::move(list)}, {"total", total}});
  }
  const json wanted = json::parse(call.request.body, nullptr, false);
  if (!wanted.is_object()) deny(400, "Bad Request", "Expecting a JSON object.");
  std::string url;
  if (kind == "secret") {
    url = add_secret(call.caller, wanted.value("name", ""), wanted.value("secret_type", "opaque"));
    const std::string type = wanted.value("payload_content_type", "");
    if (!type.empty())
      secrets_.find(url.substr(url.rfind('/') + 1))->at("content_types") = {{"default", type}};
  } else {
    constexpr const char* kSchema = "Provided object does not match schema 'Container': ";
    if (!wanted.contains("type")) {
      deny(400, "Bad Request",
           kSchema + std::string("'type' is a required property. Invalid property: 'None'"));
    }
    const std::string type = wanted.at("type");
    if (type != "generic" && type != "rsa" && type != "certificate") {
      deny(400, "Bad Request",
           kSchema +
               ("'" + type +
                "' is not one of ['generic', 'rsa', 'certificate']. Invalid property: 'type'"));
    }
    url = add_container(call.caller, wanted.value("name", ""), type,
                        wanted.value("secret_refs", json::array()));
  }
  Answer made = answer(201, {{kind + "_ref", url}});
  made.headers["location"] = url;
  return made;
}

std::string KeyManager::add_secret(const Caller& owner, const std::string& name,
                                   const std::string& type) {
  const std::string id = world_.new_id();
  const std::string now = world_.timestamp(".000000");
  secrets_.add({{"id", id},
                {".project_id", owner.project_id},
                {"secret_ref", reference("secret", id)},
                {"name", name},
                {"secret_type", type},
                {"status", "ACTIVE"},
                {"creator_id", owner.user_id},
                {"created", now},
                {"updated", now},
                {"algorithm", nullptr},
                {"bit_length", nullptr},
                {"mode", nullptr},
                {"expiration", nullptr},
                {"content_types", {{"default", "application/octet-stream"}}}});
  return reference("secret", id);
}

std::string KeyManager::add_container(const Caller& owner, const std::string& name,
                                      const std::string& type, json secret_refs) {
  const std::string id = world_.new_id();
  const std::string now = world_.timestamp(".000000");
  containers_.add({{"id", id},
                   {".project_id", owner.project_id},
                   {"container_ref", reference("container", id)},
                   {"name", name},
                   {"type", type},
                   {"status", "ACTIVE"},
                   {"creator_id", owner.user_id},
                   {"created", now},
                   {"updated", now},
                   {"consumers", json::array()},
                   {"secret_refs", std::move(secret_refs)}});
  return reference("container", id);
}

}  // namespace ccm::openstack_api
