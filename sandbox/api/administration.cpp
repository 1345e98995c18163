#include "api/api_server.hpp"
#include "api/body.hpp"

namespace sandbox {
namespace {

Json node(const std::string& name) {
  Json taint = {{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                {"value", "true"},
                {"effect", "NoSchedule"}};
  Json ready = {{"type", "Ready"}, {"status", "True"}, {"reason", "KubeletReady"}};
  Json object = {{"metadata", {{"name", name}}}};
  object["metadata"]["labels"]["kubernetes.io/hostname"] = name;
  object["spec"]["taints"] = Json::array({taint});
  object["status"]["conditions"] = Json::array({ready});
  return object;
}

}  // namespace

// Control endpoints for tests and the demo; only for the administrator.
http::Response ApiServer::administer(const User& user, const http::Request& request) {
  if (!user.is_admin()) throw ApiError{403, "Forbidden", "only for the administrator"};
  const std::string& path = request.path;
  const std::string& method = request.method;
  if (path == "/sandbox/faults") {
    if (method == "PUT") faults_.set_rules(parse_body(request));
    if (method == "DELETE") faults_.clear();
    return json_answer(faults_.describe());
  }
  if (path == "/sandbox/deny") {
    if (method == "PUT") authorizer_.set_rules(parse_body(request));
    if (method == "DELETE") authorizer_.set_rules(Json::array());
    return json_answer(authorizer_.rules());
  }
  if (path == "/sandbox/requests") {
    Json answer = counters_.describe();
    if (method == "DELETE") counters_.reset();
    return json_answer(answer);
  }
  if (method != "POST") throw unknown_path();
  if (path == "/sandbox/expire-history") {
    store_.expire_history();
    return json_answer({{"resourceVersion", std::to_string(store_.revision())}});
  }
  if (path == "/sandbox/back-up") {
    store_.back_up();
    return json_answer({{"resourceVersion", std::to_string(store_.revision())}});
  }
  if (path == "/sandbox/restore") {
    if (!store_.restore()) throw bad_request("nothing was backed up");
    return json_answer({{"resourceVersion", std::to_string(store_.revision())}});
  }
  if (path == "/sandbox/drop-watches") return drop_watches(request);
  throw unknown_path();
}

http::Response ApiServer::drop_watches(const http::Request& request) {
  Json body = request.body.empty() ? Json::object() : parse_body(request);
  if (!body.is_object()) throw bad_request("expected an object");
  std::string plural = body.value("resource", "*");
  std::string mode = body.value("mode", "close");
  if (mode != "close" && mode != "cut") throw bad_request("mode has to be \"close\" or \"cut\"");
  if (plural != "*") resource_named(plural);
  std::size_t dropped = 0;
  for (const Resource& resource : resources()) {
    if (plural != "*" && plural != resource.plural) continue;
    Collection& collection = store_.collection(resource.index);
    dropped += collection.watchers();
    collection.drop_watches(mode == "cut");
  }
  return json_answer({{"dropped", dropped}});
}

void ApiServer::create_initial_objects() {
  const Resource& namespaces = resource_named("namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    Json object = {{"metadata", {{"name", name}}}};
    writer_.create(namespaces, "", std::move(object), false);
  }
  Json port = {{"name", "https"}, {"port", 443}, {"protocol", "TCP"}};
  Json service = {{"metadata", {{"name", "kubernetes"}}}};
  service["metadata"]["labels"] = {{"component", "apiserver"}, {"provider", "kubernetes"}};
  service["spec"] = {{"clusterIP", "10.96.0.1"}, {"ports", Json::array({port})}};
  writer_.create(resource_named("services"), "default", std::move(service), false);
}

void ApiServer::add_uninitialized_nodes(int count, const std::string& prefix) {
  const Resource& nodes = resource_named("nodes");
  for (int i = 0; i < count; ++i) {
    Json object = node(prefix + std::to_string(i));
    DecodeNotes notes;
    normalise(*nodes.schema, object, notes);
    writer_.create(nodes, "", std::move(object), false);
  }
}

}  // namespace sandbox
