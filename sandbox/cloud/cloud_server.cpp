#include "cloud/cloud_server.hpp"

#include <charconv>
#include <random>
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

}  // namespace sandbox::cloud
