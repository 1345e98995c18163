#include "api/api_server.hpp"

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

}  // namespace sandbox
