#include "openstack_api/network/network.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ccm::openstack_api {
namespace {

[[noreturn]] void not_found() { refuse(404, "HTTPNotFound", "The resource could not be found."); }

[[noreturn]] void forbidden(const std::string& rule) {
  refuse(403, "PolicyNotAuthorized", rule + " is disallowed by policy");
}

constexpr size_t kLongestTag = 255;
constexpr size_t kMostTags = 50;

void check_tags(const Resource& resource, size_t count) {
  if (count <= kMostTags) return;
  refuse(400, "BadRequest",
         "Bad " + std::string(resource.collection) +
             " request: The number of tags exceed the per-resource limit of " +
             std::to_string(kMostTags) + ".");
}

json version(const std::string& url) {
  return {{"id", "v2.0"},
          {"status", "CURRENT"},
          {"links", json::array({{{"rel", "self"}, {"href", url + "/v2.0/"}}})}};
}

void check_revision(const Call& call, const json& record) {
  constexpr std::string_view kPrefix = "revision_number=";
  const std::string wanted = call.request.header("if-match");
  if (!wanted.starts_with(kPrefix)) return;
  const std::string number = wanted.substr(kPrefix.size());
  const std::string current = record.at("revision_number").dump();
  if (number != current) {
    refuse(412, "RevisionNumberConstraintFailed",
           "Constrained to " + number + ", but current revision is " + current);
  }
}

}  // namespace

Network::Network(World& world, std::string url)
    : extensions(network_extensions()), url_(std::move(url)), store_(world) {}

Answer Network::handle(const Call& call) {
  const auto& path = call.path;
  const std::string url = store_.world().url + url_;
  if (path.empty() || path[0].empty())
    return answer(200, {{"versions", json::array({version(url)})}});
  if (path[0] != "v2.0" || path.size() < 2) not_found();
  if (path[1].empty()) {
    json resources = json::array();
    for (const char* name : {"network", "port", "subnet", "subnetpool"}) {
      const std::string collection = std::string(name) + "s";
      resources.push_back(
          {{"name", name},
           {"collection", collection},
           {"links", json::array({{{"rel", "self"}, {"href", url + "/v2.0/" + collection}}})}});
    }
    return answer(200, {{"resources", std::move(resources)}});
  }
  if (path[1] == "extensions" && path.size() <= 3) {
    json list = json::array();
    for (const std::string& alias : extensions) {
      json extension = {{"alias", alias},
                        {"name", alias},
                        {"description", alias},
                        {"links", json::array()},
                        {"updated", "2026-01-01T00:00:00-00:00"}};
      if (path.size() == 3 && path[2] == alias) return answer(200, {{"extension", extension}});
      list.push_back(std::move(extension));
    }
    if (path.size() == 3) not_found();
    return answer(200, {{"extensions", std::move(list)}});
  }
  const bool routed = std::find(extensions.begin(), extensions.end(), "router") != extensions.end();
  if (!routed && (path[1] == "routers" || path[1] == "floatingips")) not_found();
  if (path[1] == "quotas" && path.size() == 3) return quotas(call);
  const Resource* resource = resource_at(path[1]);
  if (resource == nullptr) not_found();
  // Neutron makes a project's default group when somebody looks.
  if (resource->member == std::string_view("security_group"))
    groups_.default_group(call.caller.project_id);
  if (path.size() == 2 || path[2].empty()) {
    return call.method() == "POST" ? create(*resource, call) : listing_.list(*resource, call);
  }
  return object(*resource, call);
}

json& Network::found(const Resource& resource, const std::string& id, const Caller& caller) {
  json* record = store_.of(resource.collection).find(id);
  if (record == nullptr || !listing_.is_visible(*record, caller)) {
    std::string text = resource.not_found_text;
    refuse(404, resource.not_found, text.replace(text.find('%'), 1, id));
  }
  return *record;
}

Answer Network::object(const Resource& resource, const Call& call) {
  json& record = found(resource, call.path[2], call.caller);
  const std::string member = resource.member;
  if (call.path.size() > 3 && call.path[3] == "tags") return tags(resource, call, record);
  const bool write = call.method() != "GET";
  const std::string action = call.path.size() > 3        ? call.path[3]
                             : call.method() == "DELETE" ? "delete_" + member
                                                         : "update_" + member;
  if (write && !call.caller.may_write()) forbidden("rule:" + action);
  if (write && !call.caller.sees(record.at("project_id"))) forbidden("rule:" + action);
  if (member == "router" && call.is("PUT", 4)) {
    if (action == "add_extraroutes" || action == "remove_extraroutes") {
      return routers_.extra_routes(call, record, action == "add_extraroutes");
    }
  }
  if (call.path.size() > 3) not_found();
  if (call.method() == "GET") return answer(200, {{member, listing_.show(resource, record, call)}});
  if (call.method() == "PUT") return update(resource, call, record);
  if (call.method() == "DELETE") {
    remove_record(resource.collection, record);
    return answer(204, nullptr);
  }
  refuse(405, "HTTPMethodNotAllowed", "The method is not allowed.");
}

Answer Network::create(const Resource& resource, const Call& call) {
  const std::string member = resource.member;
  if (!call.caller.may_write()) forbidden("rule:create_" + member);
  json object = read_object(resource, call, false);
  const bool chosen_address = member == "floatingip" && !object.at("floating_ip_address").is_null();
  if (chosen_address && !call.caller.is_admin()) {
    forbidden("(rule:create_floatingip and rule:create_floatingip:floating_ip_address)");
  }
  if (member == "security_group" && object.at("name") == "default") {
    refuse(409, "SecurityGroupDefaultAlreadyExists", "Default security group already exists.");
  }
  object.erase("project_id");
  object.erase("tenant_id");
  json& record = add(resource.collection, call.caller.project_id, std::move(object));
  json body = listing_.shown(resource, record, call.caller);
  if (member == "network") body["is_default"] = record.at("is_default");
  return answer(201, {{member, std::move(body)}});
}

json& Network::add(const std::string& collection, const std::string& project_id, json members) {
  const Resource& resource = *resource_at(collection);
  json object = store_.begin(resource, project_id, std::move(members));
  const std::string member = resource.member;
  if (member == "network") Ports::make_network(object);
  if (member == "subnet") ports_.make_subnet(object);
  if (member == "port") ports_.make(object);
  if (member == "router") routers_.make(object);
  if (member == "floatingip") floating_ips_.make(object);
  if (member == "security_group") groups_.make(object);
  if (member == "security_group_rule") groups_.make_rule(object);
  return store_.of(collection).add(std::move(object));
}

Answer Network::update(const Resource& resource, const Call& call, json& record) {
  const json changes = read_object(resource, call, true);
  const std::string member = resource.member;
  json changed = record;
  if (member == "port") {
    ports_.change(changed, changes);
  } else if (member == "router") {
    if (changes.contains("routes")) routers_.change_routes(changed, changes.at("routes"));
    for (const auto& [name, value] : changes.items()) changed[name] = value;
  } else if (member == "floatingip") {
    floating_ips_.change(changed, changes);
  } else {
    for (const auto& [name, value] : changes.items()) changed[name] = value;
  }
  // A change of nothing is not written, so its revision is not looked at.
  if (changed != record) {
    check_revision(call, record);
    record = std::move(changed);
    store_.touch(record);
  }
  return answer(200, {{member, listing_.shown(resource, record, call.caller)}});
}

void Network::change_port(const std::string& id, const json& members) {
  json* port = store_.of("ports").find(id);
  if (port == nullptr) return;
  port->update(members);
  store_.touch(*port);
}

Answer Network::tags(const Resource& resource, const Call& call, json& record) {
  json& tags = record.at("tags");
  const bool one = call.path.size() == 5;
  const std::string tag = one ? call.path[4] : "";
  const auto place = std::find(tags.begin(), tags.end(), tag);
  if (call.method() != "GET" && !call.caller.may_write())
    forbidden("rule:update_" + std::string(resource.member) + ":tags");
  if (call.method() == "GET") {
    if (!one) return answer(200, {{"tags", tags}});
    if (place == tags.end()) refuse(404, "TagNotFound", "Tag " + tag + " could not be found.");
    return answer(204, nullptr);
  }
  if (call.method() == "PUT" && one) {
    if (tag.size() > kLongestTag) {
      refuse(400, "InvalidInput",
             "Invalid input for operation: '" + tag + "' exceeds maximum length of " +
                 std::to_string(kLongestTag) + ".");
    }
    if (place == tags.end()) {
      check_tags(resource, tags.size() + 1);
      tags.push_back(tag);
    }
    store_.touch(record);
    Answer made = answer(201, nullptr);
    made.body = "null";
    made.headers["content-type"] = "application/json";
    return made;
  }
  if (call.method() == "PUT" || call.method() == "POST") {
    const json sent = json::parse(call.request.body).at("tags");
    check_tags(resource, sent.size());
    if (call.method() == "PUT") tags = json::array();
    for (const json& name : sent) {
      if (std::find(tags.begin(), tags.end(), name) == tags.end()) tags.push_back(name);
    }
    store_.touch(record);
    return answer(200, {{"tags", sent}});
  }
  if (one && place == tags.end()) refuse(404, "TagNotFound", "Tag " + tag + " could not be found.");
  one ? void(tags.erase(place)) : tags.clear();
  store_.touch(record);
  return answer(204, nullptr);
}

Answer Network::quotas(const Call& call) {
  const std::string& project = call.path[2];
  const std::string verb = call.method() == "GET"   ? "get"
                           : call.method() == "PUT" ? "update"
                                                    : "delete";
  const bool allowed = call.method() == "GET" ? call.caller.sees(project) : call.caller.is_admin();
  if (!allowed) forbidden("rule:" + verb + "_quota");
  if (call.method() == "DELETE") {
    if (!store_.reset_quotas(project)) {
      refuse(404, "TenantQuotaNotFound", "Quota for project " + project + " could not be found.");
    }
    return answer(204, nullptr);
  }
  if (call.method() == "PUT") {
    const json limits = json::parse(call.request.body).at("quota");
    for (const auto& [resource, limit] : limits.items()) {
      const int64_t in_use = store_.used(project, resource);
      if (limit >= 0 && limit < in_use) {
        refuse(400, "HTTPBadRequest",
               "Quota limit " + limit.dump() + " for " + resource +
                   " must be greater than or equal to already used " + std::to_string(in_use));
      }
    }
    for (const auto& [resource, limit] : limits.items()) store_.set_quota(project, resource, limit);
  }
  return answer(200, {{"quota", store_.quotas(project)}});
}

void Network::remove(const std::string& collection, const std::string& id) {
  if (json* record = store_.of(collection).find(id)) remove_record(collection, *record);
}

void Network::remove_record(const std::string& collection, json& record) {
  const std::string id = record.at("id");
  if (collection == "ports") {
    floating_ips_.leave(id);
  } else if (collection == "networks") {
    for (const json& port : store_.of("ports")) {
      if (port.at("network_id") != id) continue;
      refuse(409, "NetworkInUse",
             "Unable to complete operation on network " + id +
                 ". There are one or more ports still in use on the "
                 "network.");
    }
    store_.of("subnets").remove_if(
        [&](const json& subnet) { return subnet.at("network_id") == id; });
  } else if (collection == "subnets") {
    json& subnets = ports_.network_of(record).at("subnets");
    subnets.erase(std::find(subnets.begin(), subnets.end(), id));
  } else if (collection == "security_groups") {
    groups_.remove_rules(id);
  }
  store_.of(collection).remove(id);
}
}  // namespace ccm::openstack_api
