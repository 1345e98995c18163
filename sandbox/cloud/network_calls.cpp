// The calls of /v1 about load balancers and routes.
#include "cloud/cloud_server.hpp"

#include <utility>

namespace sandbox::cloud {
namespace {

Json parse_body(const http::Request& request) {
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) throw CloudError{400, "invalid", "the body is not JSON"};
  return body;
}

// The part of the path below a collection: {id, action}.
std::pair<std::string, std::string> parts_of(std::string_view rest) {
  if (rest.empty() || rest == "/") return {};
  if (rest[0] != '/') throw CloudError{404, "not_found", "no such path"};
  rest.remove_prefix(1);
  const std::size_t slash = rest.find('/');
  const std::string id = http::percent_decode(rest.substr(0, slash), false);
  return {id, slash == rest.npos ? "" : std::string(rest.substr(slash + 1))};
}

}  // namespace

// True: the answer is complete and the call itself is not carried out.
bool CloudServer::begin(const char* operation, Call& call) {
  call.operation = operation;
  if (faults_.active()) {
    const auto found = faults_.operations.find(operation);
    if (found != faults_.operations.end()) call.fault = found->second;
  }
  return apply_fault(call.fault, call);
}

void CloudServer::load_balancer_call(const http::Request& request, std::string_view rest,
                                     Call& call) {
  const auto [id, action] = parts_of(rest);
  const std::string& method = request.method;
  if (id.empty() && method == "GET") return list_load_balancers(request, call);
  if (id.empty() && method == "POST") return create_load_balancer(request, call);
  if (!id.empty() && action.empty() && method == "GET") {
    if (begin("GetLoadBalancer", call)) return;
    return answer(call, 200, load_balancers_.get(id, now()));
  }
  if (!id.empty() && action.empty() && method == "PUT") {
    if (begin("UpdateLoadBalancer", call)) return;
    return update_load_balancer(id, parse_body(request), call);
  }
  if (!id.empty() && action == "backends" && method == "PUT") {
    if (begin("UpdateBackends", call)) return;
    const Json body = parse_body(request);
    Json given;
    given["backends"] = body.value("backends", Json::array());
    return update_load_balancer(id, std::move(given), call);
  }
  if (!id.empty() && action.empty() && method == "DELETE") {
    if (begin("DeleteLoadBalancer", call)) return;
    load_balancers_.get(id, now());
    if (call.fault != "nothing") load_balancers_.remove(id, settings_, now());
    return answer(call, 202, Json::object());
  }
  throw CloudError{405, "internal", "method not allowed"};
}

void CloudServer::list_load_balancers(const http::Request& request, Call& call) {
  if (begin("ListLoadBalancers", call)) return;
  Json owner;
  if (request.query.has("service_uid")) {
    owner = {{"cluster", request.query.get("cluster")},
             {"service_uid", request.query.get("service_uid")}};
  }
  answer_page(request, "load_balancers", load_balancers_.list(now(), owner), call);
}

void CloudServer::create_load_balancer(const http::Request& request, Call& call) {
  if (begin("CreateLoadBalancer", call)) return;
  answer(call, 202,
         load_balancers_.create(parse_body(request), settings_, now(), call.fault != "nothing"));
}

void CloudServer::update_load_balancer(const std::string& id, Json given, Call& call) {
  answer(call, 200,
         load_balancers_.update(id, std::move(given), settings_, now(), call.fault != "nothing"));
}

void CloudServer::route_call(const http::Request& request, std::string_view rest, Call& call) {
  if (rest.empty() && request.method == "GET") {
    if (begin("ListRoutes", call)) return;
    return answer_page(request, "routes", routes_.list(machines_), call);
  }
  if (rest == "/batch" && request.method == "POST") {
    if (begin("ApplyRoutes", call)) return;
    const Json results =
        routes_.apply(parse_body(request), machines_, settings_, call.fault != "nothing");
    return answer(call, 200, {{"results", results}});
  }
  throw CloudError{404, "not_found", "no such path"};
}

void CloudServer::limits_call(Call& call) {
  if (begin("GetLimits", call)) return;
  answer(call, 200,
         {{"load_balancers", settings_.load_balancers},
          {"backends", settings_.backends},
          {"routes", settings_.routes},
          {"batch", settings_.batch}});
}

// An answer lost on its way: all was done, and the client gets a gateway's failure.
void CloudServer::answer(Call& call, int status, const Json& body) {
  if (call.fault == "lost") throw CloudError{504, "unavailable", "no answer in time (injected)"};
  call.reply.response.status = status;
  call.reply.response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sandbox::cloud
