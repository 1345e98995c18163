#include "api/api_server.hpp"

#include "api/body.hpp"
#include "api/discovery.hpp"
#include "api/reviews.hpp"
#include "api/watch.hpp"
#include "api/write_requests.hpp"

namespace sandbox {
namespace {

constexpr std::chrono::milliseconds kRevisionPoll{20};

http::Reply ready(http::Response response) {
  http::Reply reply;
  reply.response = std::move(response);
  return reply;
}

http::Reply wait_for_revision() {
  http::Reply reply;
  reply.again = true;
  reply.delay = kRevisionPoll;
  return reply;
}

Attributes attributes_of(const RequestInfo& info) {
  return {info.verb, info.group, info.plural, info.subresource, info.name_space, info.name, ""};
}

void check_allowed(const Authorizer& authorizer, const User& user, const RequestInfo& info) {
  Attributes attributes = attributes_of(info);
  if (authorizer.allowed(user, attributes)) return;
  Resource subject;
  subject.group = info.group;
  subject.plural = info.plural;
  throw forbidden(subject, info.name, Authorizer::refusal(user, attributes));
}

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

ApiServer::ApiServer(Options options)
    : store_(resources().size(), options.history),
      writer_(store_),
      authenticator_(store_, std::move(options.admin_token)) {
  create_initial_objects();
}

http::Reply ApiServer::handle(http::Request& request) {
  if (auto health = health_answer(request)) return ready(*health);
  if (request.path == "/version") return ready(*discovery_answer(request));
  try {
    auto user = authenticator_.authenticate(request.authorization);
    if (!user) throw unauthorized();
    if (request.path.starts_with("/sandbox/")) return ready(administer(*user, request));
    if (request.method == "GET") {
      if (auto discovery = discovery_answer(request)) return ready(*discovery);
    }
    auto info = parse_request(request);
    if (!info) throw unknown_path();
    if (!known_group(info->group)) {
      http::Response nothing{404, "text/plain; charset=utf-8", {}, "404 page not found\n"};
      return ready(nothing);
    }
    return handle_api(*info, *user, request);
  } catch (const ApiError& error) {
    return ready(failure_answer(error, request));
  } catch (const std::exception& error) {
    return ready(failure_answer(ApiError{500, "InternalError", error.what()}, request));
  }
}

http::Reply ApiServer::handle_api(const RequestInfo& info, const User& user,
                                  const http::Request& request) {
  Faults::Effect fault;
  // A request that waited for a revision has been through its faults already.
  if (request.waited.count() == 0) fault = faults_.apply(info);
  http::Reply reply;
  try {
    if (fault.error) throw *fault.error;
    check_allowed(authorizer_, user, info);
    reply = dispatch(info, user, request);
  } catch (const ApiError& error) {
    reply = ready(failure_answer(error, request));
  }
  if (reply.again) return reply;
  reply.delay += fault.latency;
  counters_.count(info.verb, info.plural, request.user_agent, reply.response.status);
  return reply;
}

http::Reply ApiServer::dispatch(const RequestInfo& info, const User& user,
                                const http::Request& request) {
  if (auto review = review_answer(authenticator_, authorizer_, user, info, request)) {
    return ready(*review);
  }
  if (info.resource == nullptr) throw unknown_path();
  const Resource& resource = *info.resource;
  if (!resource.namespaced && !info.name_space.empty()) throw unknown_path();
  if (resource.kind == "ServiceAccount" && info.subresource == "token") {
    return ready(token_request(store_, authenticator_, info, request));
  }
  bool status = info.subresource == "status" && resource.has_status;
  if (!info.subresource.empty() && !status) throw unknown_path();
  if (info.verb == "watch") {
    http::Reply reply;
    reply.stream = open_watch(store_, info, request);
    const View view = parse_accept(request.accept, resource);
    reply.response.content_type = content_type(view);
    if (view == View::kProtobuf) reply.response.content_type += ";stream=watch";
    return reply.stream ? std::move(reply) : wait_for_revision();
  }
  if (info.verb == "get" || info.verb == "list") {
    ReadOutcome outcome =
        info.verb == "get" ? read_object(store_, info, request) : read_list(store_, info, request);
    return outcome.wait ? wait_for_revision() : ready(std::move(outcome.response));
  }
  return ready(write(info, request));
}

http::Response ApiServer::write(const RequestInfo& info, const http::Request& request) {
  bool named = !info.name.empty();
  bool whole = info.subresource.empty();
  bool in_namespace = !info.resource->namespaced || !info.name_space.empty();
  if (!in_namespace) throw method_not_allowed();
  if (info.verb == "create" && !named) return handle_create(writer_, info, request);
  if (info.verb == "update" && named) return handle_update(store_, writer_, info, request);
  if (info.verb == "patch" && named) return handle_patch(store_, writer_, info, request);
  if (info.verb == "delete" && whole) return handle_delete(store_, writer_, info, request);
  if (info.verb == "deletecollection") {
    return handle_delete_collection(store_, writer_, info, request);
  }
  throw method_not_allowed();
}

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
