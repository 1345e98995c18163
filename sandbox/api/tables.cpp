#include "api/times.hpp"
#include "api/view.hpp"

#include <functional>
#include <map>

namespace sandbox {
namespace {

using Cell = std::function<Json(const Json&)>;
struct Column {
  std::string name;
  std::string type;
  Cell cell;
  int priority = 0;
};

std::string text_at(const Json& object, const char* pointer, const std::string& otherwise) {
  Json::json_pointer path(pointer);
  if (!object.contains(path) || !object[path].is_string()) return otherwise;
  std::string text = object[path];
  return text.empty() ? otherwise : text;
}

Cell text(const char* pointer, const char* otherwise = "<none>") {
  return [pointer, otherwise](const Json& object) {
    return Json(text_at(object, pointer, otherwise));
  };
}

Cell since(const char* pointer) {
  return [pointer](const Json& object) {
    auto time = parse_time(text_at(object, pointer, ""));
    if (!time) return Json("<unknown>");
    return Json(format_age(std::chrono::floor<std::chrono::seconds>(now() - *time)));
  };
}

Cell count(const char* member) {
  return [member](const Json& object) { return Json(member_or_null(object, member).size()); };
}

Json node_status(const Json& node) {
  std::string status = "Unknown";
  for (const Json& condition : member_or_null(member_or_null(node, "status"), "conditions")) {
    if (condition.value("type", "") != "Ready") continue;
    status = condition.value("status", "") == "True" ? "Ready" : "NotReady";
  }
  if (member_or_null(node["spec"], "unschedulable") == true) status += ",SchedulingDisabled";
  return status;
}

Json node_roles(const Json& node) {
  static const std::string prefix = "node-role.kubernetes.io/";
  std::string roles;
  const Json& labels = member_or_null(node["metadata"], "labels");
  for (auto item = labels.begin(); item != labels.end(); ++item) {
    if (!item.key().starts_with(prefix) || item.key().size() == prefix.size()) continue;
    roles += (roles.empty() ? "" : ",") + item.key().substr(prefix.size());
  }
  return roles.empty() ? "<none>" : roles;
}

Cell node_address(const char* type) {
  return [type](const Json& node) {
    for (const Json& address : member_or_null(member_or_null(node, "status"), "addresses")) {
      if (address.value("type", "") == type) return Json(address.value("address", ""));
    }
    return Json("<none>");
  };
}

Json external_ip(const Json& service) {
  std::string text;
  const Json& status = member_or_null(member_or_null(service, "status"), "loadBalancer");
  for (const Json& ingress : member_or_null(status, "ingress")) {
    std::string one = ingress.value("ip", ingress.value("hostname", ""));
    text += (text.empty() ? "" : ",") + one;
  }
  if (!text.empty()) return text;
  return text_at(service, "/spec/type", "") == "LoadBalancer" ? "<pending>" : "<none>";
}

Json service_ports(const Json& service) {
  std::string text;
  for (const Json& port : member_or_null(service["spec"], "ports")) {
    if (!text.empty()) text += ",";
    text += std::to_string(port.value("port", 0));
    if (port.contains("nodePort")) text += ":" + port["nodePort"].dump();
    text += "/" + port.value("protocol", "TCP");
  }
  return text.empty() ? "<none>" : text;
}

Json event_object(const Json& event) {
  std::string kind = text_at(event, "/involvedObject/kind", "");
  for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return kind + "/" + text_at(event, "/involvedObject/name", "");
}

std::vector<Column> columns_of(const std::string& kind) {
  Column age{"Age", "string", since("/metadata/creationTimestamp")};
  if (kind == "Node") {
    return {{"Status", "string", node_status},
            {"Roles", "string", node_roles},
            age,
            {"Version", "string", text("/status/nodeInfo/kubeletVersion", "")},
            {"Internal-IP", "string", node_address("InternalIP"), 1},
            {"External-IP", "string", node_address("ExternalIP"), 1},
            {"OS-Image", "string", text("/status/nodeInfo/osImage", "<unknown>"), 1},
            {"Kernel-Version", "string", text("/status/nodeInfo/kernelVersion", "<unknown>"), 1},
            {"Container-Runtime", "string",
             text("/status/nodeInfo/containerRuntimeVersion", "<unknown>"), 1}};
  }
  if (kind == "Service") {
    return {{"Type", "string", text("/spec/type")},
            {"Cluster-IP", "string", text("/spec/clusterIP")},
            {"External-IP", "string", external_ip},
            {"Port(s)", "string", service_ports},
            age};
  }
  if (kind == "Lease") return {{"Holder", "string", text("/spec/holderIdentity", "")}, age};
  if (kind == "ConfigMap") return {{"Data", "string", count("data")}, age};
  if (kind == "Secret") {
    return {{"Type", "string", text("/type")}, {"Data", "string", count("data")}, age};
  }
  if (kind == "Namespace") return {{"Status", "string", text("/status/phase")}, age};
  if (kind == "ServiceAccount") return {{"Secrets", "string", count("secrets")}, age};
  if (kind == "Pod") return {{"Status", "string", text("/status/phase", "Unknown")}, age};
  return {age};
}

std::vector<Column> build(const Resource& resource) {
  if (resource.kind == "Event") {
    return {{"Last Seen", "string", since("/lastTimestamp")},
            {"Type", "string", text("/type", "")},
            {"Reason", "string", text("/reason", "")},
            {"Object", "string", event_object},
            {"Message", "string", text("/message", "")}};
  }
  std::vector<Column> columns = columns_of(resource.kind);
  columns.insert(columns.begin(), Column{"Name", "string", text("/metadata/name")});
  return columns;
}

const std::vector<Column>& columns(const Resource& resource) {
  static auto& cache = *new std::map<std::string, std::vector<Column>>;
  auto [slot, fresh] = cache.try_emplace(resource.kind);
  if (fresh) slot->second = build(resource);
  return slot->second;
}

}  // namespace

Json table_columns(const Resource& resource) {
  Json result = Json::array();
  for (const Column& column : columns(resource)) {
    result.push_back({{"name", column.name},
                      {"type", column.type},
                      {"format", column.name == "Name" ? "name" : ""},
                      {"description", column.name},
                      {"priority", column.priority}});
  }
  return result;
}

Json table_cells(const Resource& resource, const Object& object) {
  Json cells = Json::array();
  for (const Column& column : columns(resource)) cells.push_back(column.cell(object.value));
  return cells;
}

}  // namespace sandbox
