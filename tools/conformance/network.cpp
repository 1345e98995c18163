#include "network.hpp"

#include <ccm/lower_case.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace ccm::conformance {
namespace {

using Answer = testing::FakeHttp::Answer;
using nlohmann::json;

bool may_change(const HttpRequest& request) {
  return request.method != "GET" && request.method != "HEAD" && request.method != "OPTIONS" &&
         !request.read_only;
}

Answer no_answer() {
  Answer answer;
  answer.outcome =
      Status(Code::unavailable, ErrorClass::unavailable, "the connection ended without an answer");
  return answer;
}

}  // namespace

Network::Network(testing::FakeHost& host, Cloud& cloud) : host_(host), cloud_(cloud) {
  host.http.handle_with_client([this](const HttpRequest& request, const HttpClientOptions& client) {
    return serve(request, client);
  });
}

void Network::go_live(testing::FakeHttp::Handler send) {
  const std::lock_guard lock(mutex_);
  send_ = std::move(send);
  last_sent_ = host_.loop.now();
  // Signatures carry the time.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  host_.wall_clock_begin = std::chrono::duration_cast<std::chrono::milliseconds>(now) - last_sent_;
}

void Network::restart() {
  const std::lock_guard lock(mutex_);
  count_ = 0;
  breaks_.clear();
  all_.reset();
  before_.clear();
  writes_.clear();
  places_.clear();
}

void Network::break_at(std::size_t number, Break how) {
  const std::lock_guard lock(mutex_);
  breaks_[number] = std::move(how);
}

void Network::break_all(Break how) {
  const std::lock_guard lock(mutex_);
  all_ = std::move(how);
}

void Network::before(std::size_t number, std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  before_[number] = std::move(act);
}

std::size_t Network::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

std::vector<std::string> Network::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::vector<std::size_t> Network::write_places() const {
  const std::lock_guard lock(mutex_);
  return places_;
}

std::string Network::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

// NULL = it is whole.
const Break* Network::break_of(std::size_t number, const HttpRequest& request) const {
  const auto found = breaks_.find(number);
  const Break* how = found != breaks_.end() ? &found->second : all_ ? &*all_ : nullptr;
  if (how == nullptr || (how->reads_only && may_change(request))) return nullptr;
  uint32_t status = how->kind == Break::Kind::answer ? how->status : 0;
  if (how->kind == Break::Kind::stale) {
    const auto first = first_.find(request.method + " " + request.url);
    if (first == first_.end()) return nullptr;
    status = first->second.status_code;
  }
  const bool named = !how->names.empty() && request.url.find(how->names) != std::string::npos;
  return status == 404 && named ? nullptr : how;
}

// Without a word to the cloud, or with half of its answer.
Answer Network::broken(const Break& how, const HttpRequest& request,
                       const HttpClientOptions& client) {
  Answer answer;
  switch (how.kind) {
    case Break::Kind::answer:
      answer.outcome = HttpResponse{how.status, how.headers, how.body};
      return answer;
    case Break::Kind::stale:
      answer.outcome = first_.at(request.method + " " + request.url);
      return answer;
    case Break::Kind::hang:
      answer.hangs = true;
      return answer;
    case Break::Kind::no_answer:
      return no_answer();
    case Break::Kind::lost_answer:
      carry_out(request, client);
      return no_answer();
    case Break::Kind::half:
      break;
  }
  answer = carry_out(request, client);
  if (answer.outcome.ok()) {
    HttpResponse half = *answer.outcome;
    half.body.resize(half.body.size() / 2);
    answer.outcome = std::move(half);
  }
  return answer;
}

Answer Network::serve(const HttpRequest& request, const HttpClientOptions& client) {
  const std::lock_guard lock(mutex_);
  const std::size_t number = count_++;
  if (const auto act = before_.find(number); act != before_.end()) act->second();
  const Break* how = break_of(number, request);
  return how != nullptr ? broken(*how, request, client) : carry_out(request, client);
}

Answer Network::carry_out(const HttpRequest& request, const HttpClientOptions& client) {
  if (may_change(request)) {
    writes_.push_back(request.method + " " + request.url);
    places_.push_back(count_ - 1);
  }
  Answer answer = send_ ? ask_real_cloud(request, client) : ask_command(request);
  if (answer.outcome.ok() && !may_change(request)) {
    first_.emplace(request.method + " " + request.url, *answer.outcome);
  }
  return answer;
}

Answer Network::ask_real_cloud(const HttpRequest& request, const HttpClientOptions& client) {
  const auto now = host_.loop.now();
  Answer answer;
  host_.loop.stand_still([&] {
    std::this_thread::sleep_for(now - std::exchange(last_sent_, now));
    answer = send_(request, client);
  });
  return answer;
}

Answer Network::ask_command(const HttpRequest& request) {
  json headers = json::object();
  for (const HttpHeader& header : request.headers) headers[lower_case(header.name)] = header.value;
  json answered;
  try {
    answered = cloud_.ask({{"do", "http"},
                           {"method", request.method},
                           {"url", request.url},
                           {"headers", std::move(headers)},
                           {"body", request.body},
                           {"clockMs", host_.loop.now().count()}});
  } catch (const CloudFault& fault) {
    fault_ = fault.what();
  }
  if (answered.is_null()) {
    if (fault_.empty()) {
      fault_ = "the plugin asks " + request.method + " " + request.url +
               ", and no --cloud command answers HTTP requests";
    }
    return no_answer();
  }
  HttpResponse response;
  response.status_code = answered.value("status", 200U);
  response.body = answered.value("body", "");
  const json answer_headers = answered.value("headers", json::object());
  for (const auto& [name, value] : answer_headers.items()) {
    response.headers.push_back({lower_case(name), value.get<std::string>()});
  }
  Answer answer;
  answer.outcome = std::move(response);
  return answer;
}

}  // namespace ccm::conformance
