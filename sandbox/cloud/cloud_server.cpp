#include "cloud/cloud_server.hpp"

#include <charconv>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sandbox::cloud {
namespace {

constexpr int kMaxPerPage = 200;

std::string random_text() {
  std::random_device source;
  std::string text;
  for (int i = 0; i < 4; ++i) text += std::to_string(source());
  return text;
}

void set_json(http::Response& response, int status, const Json& body) {
  response.status = status;
  response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

int page_number(const http::Request& request, const char* name, int otherwise, int largest) {
  const std::string& text = request.query.get(name);
  if (text.empty()) return otherwise;
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > largest) {
    throw CloudError{400, "invalid", std::string(name) + " is out of range"};
  }
  return value;
}

std::string code_of(int status) {
  if (status == 429) return "rate_limited";
  if (status == 401 || status == 403) return "unauthorized";
  if (status == 404) return "not_found";
  if (status == 402 || status == 422) return "quota";
  return status == 503 ? "unavailable" : "internal";
}

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

CloudError no_such_path() { return {404, "not_found", "no such path"}; }

std::string text(const Json& body, const char* member, const std::string& otherwise) {
  auto found = body.find(member);
  if (found == body.end()) return otherwise;
  if (!found->is_string()) throw std::invalid_argument(std::string(member) + " has to be a string");
  return *found;
}

// The body of a call of /control, which may have none.
Json parse_control_body(const http::Request& request) {
  if (request.body.empty()) return Json::object();
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) throw std::invalid_argument("the body is not JSON");
  if (!body.is_object()) throw std::invalid_argument("the body has to be an object");
  return body;
}

}  // namespace

CloudServer::CloudServer(std::string token)
    : token_(token.empty() ? random_text() : std::move(token)) {}

http::Reply CloudServer::handle(http::Request& request) {
  if (request.path == "/control" || request.path.starts_with("/control/")) {
    return serve_control(request);
  }
  return serve_v1(request);
}

http::Reply CloudServer::serve_v1(const http::Request& request) {
  Call call;
  int retry_after_s = -1;
  try {
    route_v1(request, call);
  } catch (const CloudError& error) {
    retry_after_s = error.retry_after_s;
    set_json(call.reply.response, error.status,
             {{"error", {{"code", error.code}, {"message", error.message}}}});
  }
  finish(request, call, retry_after_s);
  return std::move(call.reply);
}

void CloudServer::route_v1(const http::Request& request, Call& call) {
  if (request.authorization != "Bearer " + token_) {
    throw CloudError{401, "unauthorized", "the token is missing or not valid"};
  }
  auto now = RateLimit::Clock::now();
  if (!rate_limit_.take(now)) {
    long long wait = faults_.active() && faults_.retry_after_s >= 0 ? faults_.retry_after_s
                                                                    : rate_limit_.reset_after(now);
    throw CloudError{429, "rate_limited", "too many requests", static_cast<int>(wait)};
  }
  constexpr std::string_view kMachines = "/v1/machines";
  constexpr std::string_view kLoadBalancers = "/v1/load_balancers";
  constexpr std::string_view kRoutes = "/v1/routes";
  std::string_view path = request.path;
  if (path.starts_with(kLoadBalancers)) {
    return load_balancer_call(request, path.substr(kLoadBalancers.size()), call);
  }
  if (path.starts_with(kRoutes)) return route_call(request, path.substr(kRoutes.size()), call);
  if (path == "/v1/limits") return limits_call(call);
  if (!path.starts_with(kMachines)) throw CloudError{404, "not_found", "no such path"};
  path.remove_prefix(kMachines.size());
  if (request.method != "GET") throw CloudError{405, "internal", "method not allowed"};
  if (path.empty() || path == "/") {
    list_machines(request, call);
  } else if (path[0] == '/') {
    get_machine(http::percent_decode(path.substr(1), false), call);
  } else {
    throw CloudError{404, "not_found", "no such path"};
  }
}

// True: the answer is complete and the call itself is not carried out.
bool CloudServer::apply_fault(const std::string& fault, Call& call) {
  if (!faults_.active()) return false;
  call.reply.delay = std::chrono::milliseconds(faults_.latency_ms);
  // A fault of one operation waits for it.
  if (faults_.operations.empty() || !fault.empty()) faults_.use();
  if (fault == "error") {
    throw CloudError{faults_.status, code_of(faults_.status), "injected fault",
                     faults_.retry_after_s};
  }
  if (fault == "not_found") throw CloudError{404, "not_found", "no such machine (injected)"};
  if (fault == "hang") call.reply.hang = true;
  if (fault == "garbage") {
    call.reply.response.body = "{\"machines\":[{\"id\":\"m-1\",\"name\":<<<";
  }
  return fault == "hang" || fault == "garbage";
}

void CloudServer::list_machines(const http::Request& request, Call& call) {
  call.operation = "ListMachines";
  std::string fault = faults_.active() ? faults_.list : "";
  if (apply_fault(fault, call)) return;
  int page = page_number(request, "page", 1, 1000000);
  int per_page = page_number(request, "per_page", kMaxPerPage, kMaxPerPage);
  const std::string& name = request.query.get("name");
  std::vector<const Machine*> selected;
  for (const auto& item : machines_) {
    if (name.empty() || item.second["name"] == name) selected.push_back(&item.second);
  }
  if (fault == "empty") selected.clear();
  if (fault == "half") selected.resize((selected.size() + 1) / 2);
  std::size_t begin = std::min(
      selected.size(), static_cast<std::size_t>(page - 1) * static_cast<std::size_t>(per_page));
  std::size_t end = std::min(selected.size(), begin + static_cast<std::size_t>(per_page));
  Json list = Json::array();
  for (std::size_t i = begin; i < end; ++i) {
    if (fault == "gap" && name.empty() && i + 1 == selected.size()) break;
    list.push_back(*selected[i]);
    if (fault == "duplicate") list.push_back(*selected[i]);
  }
  Json next = end < selected.size() ? Json(page + 1) : Json();
  set_json(call.reply.response, 200,
           {{"machines", list},
            {"meta", {{"total", selected.size()}, {"page", page}, {"next_page", next}}}});
}

void CloudServer::answer_page(const http::Request& request, const char* name, const Json& list,
                              Call& call) {
  const auto page = static_cast<std::size_t>(page_number(request, "page", 1, 1000000));
  const auto per_page =
      static_cast<std::size_t>(page_number(request, "per_page", kMaxPerPage, kMaxPerPage));
  const std::size_t begin = std::min(list.size(), (page - 1) * per_page);
  const std::size_t end = std::min(list.size(), begin + per_page);
  Json part = Json::array();
  for (std::size_t i = begin; i < end; ++i) part.push_back(list[i]);
  const Json next = end < list.size() ? Json(page + 1) : Json();
  answer(call, 200,
         {{name, part}, {"meta", {{"total", list.size()}, {"page", page}, {"next_page", next}}}});
}

void CloudServer::get_machine(const std::string& id, Call& call) {
  call.operation = "GetMachine";
  if (apply_fault(faults_.active() ? faults_.get : "", call)) return;
  auto found = machines_.find(id);
  if (found == machines_.end()) throw CloudError{404, "not_found", "no machine " + id};
  set_json(call.reply.response, 200, found->second);
}

void CloudServer::finish(const http::Request& request, Call& call, int retry_after_s) {
  http::Response& response = call.reply.response;
  std::string id = "req-" + std::to_string(next_request_++);
  if (response.status >= 400) {
    Json body = Json::parse(response.body);
    body["error"]["request_id"] = id;
    response.body = body.dump();
  }
  auto add = [&](const char* name, long long value) {
    response.headers.emplace_back(name, std::to_string(value));
  };
  response.headers.emplace_back("X-Request-Id", id);
  add("Ratelimit-Limit", rate_limit_.limit());
  add("Ratelimit-Remaining", rate_limit_.remaining());
  add("Ratelimit-Reset", rate_limit_.reset_after(RateLimit::Clock::now()));
  if (retry_after_s >= 0) add("Retry-After", retry_after_s);
  calls_.record({call.operation, request.method, request.path,
                 call.reply.hang ? 0 : response.status, id, call.reply.delay.count()});
}

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

http::Reply CloudServer::serve_control(const http::Request& request) {
  http::Reply reply;
  auto fail = [&](int status, const std::string& code, const std::string& message) {
    reply.response.status = status;
    reply.response.body = Json{{"error", {{"code", code}, {"message", message}}}}.dump();
  };
  try {
    reply.response.body = control(request, parse_control_body(request)).dump();
  } catch (const CloudError& error) {
    fail(error.status, error.code, error.message);
  } catch (const std::invalid_argument& error) {
    fail(400, "invalid", error.what());
  }
  return reply;
}

Json CloudServer::control(const http::Request& request, const Json& body) {
  std::string rest = request.path.substr(std::string_view("/control").size());
  const std::string& method = request.method;
  if (rest.starts_with("/machines")) {
    return control_machines(request, rest.substr(std::string_view("/machines").size()), body);
  }
  if (rest.starts_with("/load_balancers")) {
    return control_load_balancers(method, rest.substr(std::string_view("/load_balancers").size()),
                                  body);
  }
  if (rest.starts_with("/routes")) {
    return control_routes(method, rest.substr(std::string_view("/routes").size()), body);
  }
  if (rest == "/settings") {
    if (method == "PUT") return set_settings(body);
    if (method == "DELETE") return set_settings(Json::object());
    return settings_.describe();
  }
  if (rest == "/faults") {
    if (method == "PUT") return set_faults(body);
    if (method == "DELETE") return set_faults(Json::object());
    return faults_.describe();
  }
  if (rest == "/calls") {
    Json answer = calls_.describe();
    if (method == "DELETE") calls_.reset();
    return answer;
  }
  if (rest == "/state") {
    Json list = Json::array();
    for (const auto& item : machines_) list.push_back(item.second);
    return {{"machines", list},
            {"load_balancers", load_balancers_.list(now())},
            {"routes", routes_.list(machines_)},
            {"settings", settings_.describe()},
            {"faults", faults_.describe()}};
  }
  if (rest == "/token" && method == "PUT") {
    std::string token = text(body, "token", "");
    if (token.empty()) throw std::invalid_argument("token is missing");
    token_ = token;
    return Json::object();
  }
  throw no_such_path();
}

Json CloudServer::set_faults(const Json& body) {
  faults_ = CloudFaults::parse(body);
  rate_limit_.set_limit(faults_.rate_limit);
  return faults_.describe();
}

Json CloudServer::control_machines(const http::Request& request, const std::string& rest,
                                   const Json& body) {
  const std::string& method = request.method;
  if (rest.empty() && method == "DELETE") {
    machines_.clear();
    return Json::object();
  }
  if (rest.empty() && method == "POST") {
    const Json list = body.value("machines", Json());
    if (!list.is_array()) throw std::invalid_argument("machines has to be a list");
    for (const Json& machine : list) {
      if (!machine.is_object()) throw std::invalid_argument("a machine has to be an object");
      upsert(text(machine, "id", ""), machine);
    }
    return {{"total", machines_.size()}};
  }
  if (rest == "/generate" && method == "POST") {
    const Json count = body.value("count", Json());
    if (!count.is_number_integer() || count < 0 || count > 1000000) {
      throw std::invalid_argument("count has to be a number");
    }
    std::string status = text(body, "status", "running");
    if (!known_status(status)) throw std::invalid_argument("unknown status " + status);
    generate_machines(count, text(body, "prefix", "node-"), status);
    return {{"total", machines_.size()}};
  }
  if (rest.size() < 2 || rest[0] != '/') throw no_such_path();
  std::size_t slash = rest.find('/', 1);
  std::string id = http::percent_decode(rest.substr(1, slash - 1), false);
  if (slash != std::string::npos) {
    if (method != "POST") throw no_such_path();
    set_status(id, rest.substr(slash + 1));
    return machines_.find(id)->second;
  }
  if (method == "PUT") {
    upsert(id, body);
    return machines_.find(id)->second;
  }
  auto found = machines_.find(id);
  if (found == machines_.end()) throw CloudError{404, "not_found", "no machine " + id};
  Json machine = found->second;
  if (method == "DELETE") machines_.erase(found);
  return machine;
}

void CloudServer::upsert(const std::string& id, Json given) {
  auto found = machines_.find(id);
  long long generation = found == machines_.end() ? 0 : found->second.value("generation", 0LL);
  // A machine keeps its generated address when it is put again without addresses.
  if (found != machines_.end() && given.is_object() && !given.contains("addresses")) {
    given["addresses"] = found->second["addresses"];
  }
  Machine machine = complete_machine(id, std::move(given), next_number_);
  if (found == machines_.end()) ++next_number_;
  machine["generation"] = generation + 1;
  machines_[id] = std::move(machine);
}

void CloudServer::set_status(const std::string& id, const std::string& action) {
  std::string status = action == "stop"        ? "stopped"
                       : action == "start"     ? "running"
                       : action == "terminate" ? "terminated"
                                               : "";
  if (status.empty()) throw no_such_path();
  auto found = machines_.find(id);
  if (found == machines_.end()) throw CloudError{404, "not_found", "no machine " + id};
  found->second["status"] = status;
  found->second["generation"] = found->second.value("generation", 0LL) + 1;
}

void CloudServer::generate_machines(int count, const std::string& prefix,
                                    const std::string& status) {
  for (int i = 0; i < count; ++i) {
    std::string name = prefix + std::to_string(i);
    upsert(name, {{"name", name}, {"status", status}});
  }
}

Json CloudServer::control_load_balancers(const std::string& method, const std::string& rest,
                                         const Json& body) {
  if (rest.empty()) {
    if (method == "DELETE") load_balancers_.clear();
    return {{"load_balancers", load_balancers_.list(now())}};
  }
  const std::size_t slash = rest.find('/', 1);
  const std::string id = http::percent_decode(rest.substr(1, slash - 1), false);
  if (slash != std::string::npos) {
    if (method != "POST" || rest.substr(slash + 1) != "activate") throw no_such_path();
    return load_balancers_.activate(id);
  }
  if (method == "PUT") return load_balancers_.force(id, body);
  Json balancer = load_balancers_.get(id, now());
  if (method == "DELETE") load_balancers_.erase(id);
  return balancer;
}

Json CloudServer::control_routes(const std::string& method, const std::string& rest,
                                 const Json& body) {
  if (rest.empty()) {
    if (method == "DELETE") routes_.clear();
    return {{"routes", routes_.list(machines_)}};
  }
  const std::string id = http::percent_decode(rest.substr(1), false);
  if (method == "PUT") return routes_.force(id, body);
  if (method != "DELETE" || !routes_.erase(id)) throw no_such_path();
  return Json::object();
}

Json CloudServer::set_settings(const Json& body) {
  settings_ = Settings::parse(body);
  return settings_.describe();
}

}  // namespace sandbox::cloud
