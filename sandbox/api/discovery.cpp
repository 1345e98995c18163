#include "api/discovery.hpp"

#include "api/body.hpp"
#include "api/protobuf.hpp"
#include "api/resource.hpp"

namespace sandbox {
namespace {

constexpr std::string_view kTitle = "Kubernetes";
constexpr std::string_view kVersion = "v1.36.0-sandbox";
constexpr std::string_view kSwagger = "2.0";
constexpr std::string_view kOpenapiProtobuf = "application/com.github.proto-openapi.spec.v2";

const char* const kReviewGroups[] = {"authentication.k8s.io", "authorization.k8s.io"};

Json entry(const std::string& name, const std::string& singular, bool namespaced,
           const std::string& kind, const std::vector<std::string>& verbs) {
  return {{"name", name},
          {"singularName", singular},
          {"namespaced", namespaced},
          {"kind", kind},
          {"verbs", verbs}};
}

void add_resources(Json& list, const std::string& group, const std::string& version) {
  for (const Resource& resource : resources()) {
    if (resource.group != group || resource.version != version) continue;
    Json item =
        entry(resource.plural, resource.singular, resource.namespaced, resource.kind,
              {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
    if (!resource.short_names.empty()) item["shortNames"] = resource.short_names;
    list.push_back(item);
    if (resource.has_status) {
      list.push_back(entry(resource.plural + "/status", "", resource.namespaced, resource.kind,
                           {"get", "patch", "update"}));
    }
    if (resource.kind == "ServiceAccount") {
      Json token = entry("serviceaccounts/token", "", true, "TokenRequest", {"create"});
      token["group"] = "authentication.k8s.io";
      token["version"] = "v1";
      list.push_back(token);
    }
  }
  if (group == "authentication.k8s.io") {
    list.push_back(entry("tokenreviews", "tokenreview", false, "TokenReview", {"create"}));
  }
  if (group == "authorization.k8s.io") {
    list.push_back(entry("selfsubjectaccessreviews", "selfsubjectaccessreview", false,
                         "SelfSubjectAccessReview", {"create"}));
    list.push_back(entry("subjectaccessreviews", "subjectaccessreview", false,
                         "SubjectAccessReview", {"create"}));
  }
}

Json resource_list(const std::string& group, const std::string& version) {
  Json list = Json::array();
  add_resources(list, group, version);
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group.empty() ? version : group + "/" + version},
          {"resources", list}};
}

std::vector<std::string> groups() {
  std::vector<std::string> names(std::begin(kReviewGroups), std::end(kReviewGroups));
  for (const Resource& resource : resources()) {
    bool known = std::find(names.begin(), names.end(), resource.group) != names.end();
    if (!resource.group.empty() && !known) names.push_back(resource.group);
  }
  return names;
}

// The preferred one first.
std::vector<std::string> versions_of(const std::string& group) {
  std::vector<std::string> versions{"v1"};
  for (const Resource& resource : resources()) {
    const bool known =
        std::find(versions.begin(), versions.end(), resource.version) != versions.end();
    if (resource.group == group && !known) versions.push_back(resource.version);
  }
  return versions;
}

Json api_group(const std::string& name) {
  Json versions = Json::array();
  for (const std::string& version : versions_of(name)) {
    versions.push_back({{"groupVersion", name + "/" + version}, {"version", version}});
  }
  Json preferred = versions[0];
  return {{"name", name}, {"versions", std::move(versions)}, {"preferredVersion", preferred}};
}

Json group_list() {
  Json list = Json::array();
  for (const std::string& name : groups()) list.push_back(api_group(name));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", list}};
}

Json version_info() {
  return {{"major", "1"},    {"minor", "36"},           {"gitVersion", kVersion},
          {"gitCommit", ""}, {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", "gcc"},       {"platform", "linux/amd64"}};
}

// No schema of any kind, so that clients check nothing. kubectl before 1.24 reads protobuf only, a
// Document of gnostic's OpenAPIv2.proto.
http::Response openapi_v2_answer(const http::Request& request) {
  if (request.accept.find(kOpenapiProtobuf) == std::string::npos) {
    return json_answer({{"swagger", kSwagger},
                        {"info", {{"title", kTitle}, {"version", kVersion}}},
                        {"paths", Json::object()},
                        {"definitions", Json::object()}});
  }
  std::string info;
  append_protobuf(info, 1, kTitle);
  append_protobuf(info, 2, kVersion);
  http::Response response;
  response.content_type = std::string(kOpenapiProtobuf) + ".v1.0+protobuf";
  append_protobuf(response.body, 1, kSwagger);
  append_protobuf(response.body, 2, info);
  append_protobuf(response.body, 8, {});  // paths
  append_protobuf(response.body, 9, {});  // definitions
  return response;
}

std::string group_path(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

Json openapi_v3_index() {
  Json paths = Json::object();
  auto add = [&](const std::string& group) {
    for (const std::string& version : versions_of(group)) {
      const std::string path = group_path(group, version);
      paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path}};
    }
  };
  add("");
  for (const std::string& name : groups()) add(name);
  return {{"paths", paths}};
}

// Only the paths that kubectl looks for before it leaves the validation of fields to the server.
std::optional<http::Response> openapi_v3_answer(const std::string& wanted) {
  Json paths = Json::object();
  Json parameter = {{"name", "fieldValidation"}, {"in", "query"}};
  bool known = false;
  for (const Resource& resource : resources()) {
    if (group_path(resource.group, resource.version) != wanted) continue;
    known = true;
    std::string path = "/" + wanted + (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                       resource.plural + "/{name}";
    Json kind = {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
    paths[path]["patch"] = {{"parameters", Json::array({parameter})},
                            {"x-kubernetes-group-version-kind", kind}};
  }
  if (!known) return std::nullopt;
  return json_answer({{"openapi", "3.0.0"},
                      {"info", {{"title", kTitle}, {"version", kVersion}}},
                      {"paths", paths},
                      {"components", {{"schemas", Json::object()}}}});
}

}  // namespace

std::optional<http::Response> discovery_answer(const http::Request& request) {
  std::string path = request.path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path == "/version") return json_answer(version_info());
  if (path == "/api") {
    return json_answer({{"kind", "APIVersions"},
                        {"versions", Json::array({"v1"})},
                        {"serverAddressByClientCIDRs", Json::array()}});
  }
  if (path == "/apis") return json_answer(group_list());
  if (path == "/api/v1") return json_answer(resource_list("", "v1"));
  if (path == "/openapi/v2") return openapi_v2_answer(request);
  if (path == "/openapi/v3") return json_answer(openapi_v3_index());
  if (path.starts_with("/openapi/v3/")) return openapi_v3_answer(path.substr(12));
  for (const std::string& name : groups()) {
    if (path == "/apis/" + name) {
      Json group = api_group(name);
      group["kind"] = "APIGroup";
      group["apiVersion"] = "v1";
      return json_answer(group);
    }
    for (const std::string& version : versions_of(name)) {
      if (path == "/apis/" + name + "/" + version) return json_answer(resource_list(name, version));
    }
  }
  return std::nullopt;
}

std::optional<http::Response> health_answer(const http::Request& request) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    if (request.path == path || request.path.starts_with(std::string(path) + "/")) {
      http::Response response;
      response.content_type = "text/plain; charset=utf-8";
      response.body = "ok";
      return response;
    }
  }
  return std::nullopt;
}

}  // namespace sandbox
