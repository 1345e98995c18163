#include "security_groups.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"
#include "openstack/pages.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// An ID takes 47 characters of the URL, which many servers cut at 8,192.
constexpr std::size_t kServersAtOnce = 100;
constexpr int kPortTries = 5;
constexpr const char* kGroupPortFields =
    "fields=id&fields=device_id&fields=fixed_ips&fields=security_groups"
    "&fields=port_security_enabled&fields=revision_number";

Result<std::vector<GroupRule>> read_rules(const json& document, const std::string& group_id) {
  std::vector<GroupRule> rules;
  for (const json& entry : document.at("security_group_rules")) {
    if (text_of(entry, "security_group_id") != group_id) continue;
    GroupRule& out = rules.emplace_back();
    out.id = id_of(entry);
    const int64_t first = integer_or(entry, "port_range_min", 0);
    out.inward =
        text_of(entry, "direction") == "ingress" && first == integer_or(entry, "port_range_max", 0);
    out.rule = {lower_case(text_of(entry, "protocol")), text_of(entry, "ethertype"),
                text_of(entry, "remote_ip_prefix"), first};
  }
  return rules;
}

Result<std::vector<std::string>> read_group_ids(const json& document, const std::string& name) {
  std::vector<std::string> ids;
  for (const json& entry : document.at("security_groups")) {
    if (text_of(entry, "name") == name) ids.push_back(id_of(entry));
  }
  return ids;
}

Result<std::string> read_group_id(const json& document) {
  return id_of(document.at("security_group"));
}

Result<GroupPort> read_single_port(const json& document) {
  return read_group_port(document.at("port"));
}

std::string rule_body(const std::string& group_id, const InwardRule& rule) {
  const json entry = {{"direction", "ingress"},         {"security_group_id", group_id},
                      {"protocol", rule.protocol},      {"ethertype", rule.family},
                      {"remote_ip_prefix", rule.range}, {"port_range_min", rule.port},
                      {"port_range_max", rule.port}};
  return json{{"security_group_rule", entry}}.dump();
}

std::string group_body(const WantedGroup& wanted) {
  const json entry = {{"name", wanted.name}, {"description", wanted.description}};
  return json{{"security_group", entry}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string groups_body(const std::vector<std::string>& groups) {
  return json{{"port", {{"security_groups", groups}}}}.dump();
}

bool has_group(const GroupPort& port, const std::string& id) {
  return std::find(port.groups.begin(), port.groups.end(), id) != port.groups.end();
}

// OS-321: a Node's port with its address on the members' subnet.
bool is_member_port(const GroupPort& port, const WantedGroup& wanted) {
  return port.secured && std::any_of(port.subnet_by_address.begin(), port.subnet_by_address.end(),
                                     [&](const auto& fixed) {
                                       const auto node = wanted.server_by_address.find(fixed.first);
                                       return fixed.second == wanted.subnet_id &&
                                              node != wanted.server_by_address.end() &&
                                              node->second == port.server_id;
                                     });
}

}  // namespace

Result<std::vector<std::string>> parse_group_ids(std::string_view json_text,
                                                 const std::string& name) {
  return read_answer(json_text,
                     [&](const json& document) { return read_group_ids(document, name); });
}

Result<std::vector<GroupRule>> parse_group_rules(std::string_view json_text,
                                                 const std::string& group_id) {
  return read_answer(json_text,
                     [&](const json& document) { return read_rules(document, group_id); });
}

GroupPort read_group_port(const json& entry) {
  GroupPort port;
  port.id = id_of(entry);
  port.server_id = text_of(entry, "device_id");
  for (const json& fixed : part_of(entry, "fixed_ips")) {
    port.subnet_by_address[text_of(fixed, "ip_address")] = text_of(fixed, "subnet_id");
  }
  port.groups = part_of(entry, "security_groups").get<std::vector<std::string>>();
  port.secured = entry.value("port_security_enabled", true);
  port.revision = integer_or(entry, "revision_number", -1);
  return port;
}

Task<Result<std::string>> SecurityGroups::call(Ctx ctx, const char* method, std::string path,
                                               const char* operation, std::string body,
                                               std::string if_match) {
  Call request;
  request.service = "network";
  request.method = method;
  request.path = std::move(path);
  request.operation = operation;
  request.body = std::move(body);
  request.if_match = std::move(if_match);
  // Its listings; single objects may be gone.
  request.must_exist = request.method == "GET";
  return api_.call(std::move(ctx), std::move(request));
}

Task<Result<std::string>> SecurityGroups::find(Ctx ctx, std::string name) {
  const auto body = co_await call(
      ctx, "GET", "security-groups?fields=id&fields=name&name=" + percent_encode(name),
      "ListSecurityGroups", "", "");
  if (!body.ok()) co_return body.status();
  const auto ids = parse_group_ids(*body, name);
  if (!ids.ok()) co_return ids.status();
  if (ids->size() > 1) {
    co_return Status(Code::failed_precondition, ErrorClass::unavailable,
                     "there are several security groups " + name + ": delete all but one");
  }
  co_return ids->empty() ? std::string() : ids->front();
}

Task<Result<bool>> SecurityGroups::apply(Ctx ctx, const WantedGroup& wanted, bool write) {
  auto id = co_await find(ctx, wanted.name);
  if (!id.ok()) co_return id.status();
  const bool fresh = id->empty();
  if (fresh) {
    if (!write) co_return true;
    const auto body = co_await call(ctx, "POST", "security-groups", "CreateSecurityGroup",
                                    group_body(wanted), "");
    if (!body.ok()) co_return body.status();
    id = read_answer(*body, &read_group_id);
    if (!id.ok()) co_return id.status();
  }
  const auto rules = co_await apply_rules(ctx, *id, wanted, write);
  if (!rules.ok()) co_return rules;
  const auto ports = co_await apply_ports(ctx, *id, wanted, write);
  if (!ports.ok()) co_return ports;
  co_return fresh || *rules || *ports;
}

// Missing ones are made before others are deleted (OS-318, OS-423).
Task<Result<bool>> SecurityGroups::apply_rules(Ctx ctx, std::string id, const WantedGroup& wanted,
                                               bool write) {
  const auto body = co_await call(ctx, "GET", "security-group-rules?security_group_id=" + id,
                                  "ListSecurityGroupRules", "", "");
  if (!body.ok()) co_return body.status();
  const auto existing = parse_group_rules(*body, id);
  if (!existing.ok()) co_return existing.status();
  std::set<InwardRule> missing = wanted.rules;
  std::vector<std::string> surplus;
  for (const GroupRule& rule : *existing) {
    if (!rule.inward || !wanted.rules.contains(rule.rule)) {
      surplus.push_back(rule.id);
    } else {
      missing.erase(rule.rule);
    }
  }
  if (!write) co_return !missing.empty() || !surplus.empty();
  for (const InwardRule& rule : missing) {
    const auto made = co_await call(ctx, "POST", "security-group-rules", "CreateSecurityGroupRule",
                                    rule_body(id, rule), "");
    const bool there = made.status().error_class() == ErrorClass::conflict;  // already
    if (!made.ok() && !there) co_return made.status();
  }
  for (const std::string& rule : surplus) {
    const auto gone = co_await call(ctx, "DELETE", "security-group-rules/" + rule,
                                    "DeleteSecurityGroupRule", "", "");
    const bool missing_already = gone.status().error_class() == ErrorClass::not_found;
    if (!gone.ok() && !missing_already) co_return gone.status();
  }
  co_return !missing.empty() || !surplus.empty();
}

Task<Result<std::vector<GroupPort>>> SecurityGroups::ports(Ctx ctx, std::string query) {
  Collection collection;
  collection.service = "network";
  collection.path = "ports?" + query + "&" + kGroupPortFields;
  collection.operation = "ListPorts";
  collection.must_exist = true;
  std::vector<GroupPort> all;
  Status read =
      co_await read_pages(api_, ctx, std::move(collection), "ports", into(all, &read_group_port));
  if (!read.ok()) co_return read;
  co_return all;
}

Task<Result<GroupPort>> SecurityGroups::read_port(Ctx ctx, std::string id) {
  Call question;
  question.service = "network";
  question.path = "ports/" + std::move(id) + "?" + kGroupPortFields;
  question.operation = "GetPort";
  const auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status();
  co_return read_answer(*body, &read_single_port);
}

Task<Result<std::vector<GroupPort>>> SecurityGroups::ports_of(Ctx ctx, const WantedGroup& wanted) {
  std::vector<GroupPort> all;
  std::string query;
  std::size_t count = 0;
  std::size_t left = wanted.server_by_address.size();
  for (const auto& [address, server] : wanted.server_by_address) {
    query += (query.empty() ? "" : "&") + std::string("device_id=") + percent_encode(server);
    --left;
    if (++count < kServersAtOnce && left > 0) continue;
    auto some = co_await ports(ctx, query);
    if (!some.ok()) co_return some;
    all.insert(all.end(), some->begin(), some->end());
    query.clear();
    count = 0;
  }
  co_return all;
}

// Also off those of Nodes that left (OS-322).
Task<Result<bool>> SecurityGroups::apply_ports(Ctx ctx, std::string id, const WantedGroup& wanted,
                                               bool write) {
  bool differs = false;
  const auto of_nodes = co_await ports_of(ctx, wanted);
  if (!of_nodes.ok()) co_return of_nodes.status();
  for (const GroupPort& port : *of_nodes) {
    if (!is_member_port(port, wanted) || has_group(port, id)) continue;
    differs = true;
    if (!write) continue;
    Status set = co_await set_group(ctx, port, id, true, wanted.namespace_name);
    if (!set.ok()) co_return set;
  }
  const auto having = co_await ports(ctx, "security_groups=" + id);
  if (!having.ok()) co_return having.status();
  for (const GroupPort& port : *having) {
    if (is_member_port(port, wanted) || !has_group(port, id)) continue;
    differs = true;
    if (!write) continue;
    Status set = co_await set_group(ctx, port, id, false, wanted.namespace_name);
    if (!set.ok() && set.error_class() != ErrorClass::not_found) co_return set;
  }
  co_return differs;
}

// For the revision that was read, so that nobody's change is lost (OS-326, OS-424). One at a time:
// when a Node joins, the groups of all Services come to the same port.
Task<Status> SecurityGroups::set_group(Ctx ctx, GroupPort port, std::string id, bool in,
                                       std::string namespace_name) {
  const auto permit = co_await port_writes_.acquire(std::move(namespace_name));
  if (ctx.cancelled()) co_return ctx.status();
  for (int left = kPortTries; has_group(port, id) != in; --left) {
    std::erase(port.groups, id);
    if (in) port.groups.push_back(id);
    std::string revision;
    if (port.revision >= 0) revision = "revision_number=" + std::to_string(port.revision);
    const auto body = co_await call(ctx, "PUT", "ports/" + port.id, "UpdatePort",
                                    groups_body(port.groups), std::move(revision));
    if (body.status().error_class() != ErrorClass::conflict || left == 1) co_return body.status();
    auto fresh = co_await read_port(ctx, port.id);
    if (!fresh.ok()) co_return fresh.status();
    port = *std::move(fresh);
  }
  co_return Status();
}

Task<Status> SecurityGroups::remove(Ctx ctx, std::string name, std::string namespace_name) {
  const auto id = co_await find(ctx, std::move(name));
  if (!id.ok()) co_return id.status();
  if (id->empty()) co_return Status();
  const auto having = co_await ports(ctx, "security_groups=" + *id);
  if (!having.ok()) co_return having.status();
  for (const GroupPort& port : *having) {
    if (!has_group(port, *id)) continue;
    Status set = co_await set_group(ctx, port, *id, false, namespace_name);
    if (!set.ok() && set.error_class() != ErrorClass::not_found) co_return set;
  }
  const auto gone =
      co_await call(ctx, "DELETE", "security-groups/" + *id, "DeleteSecurityGroup", "", "");
  const bool already = gone.status().error_class() == ErrorClass::not_found;
  co_return already ? Status() : gone.status();
}

}  // namespace ccm::openstack
