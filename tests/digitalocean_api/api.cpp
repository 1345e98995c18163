#include "api.hpp"

#include <algorithm>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

constexpr Milliseconds kMinute{60'000};
constexpr Milliseconds kHour{3'600'000};

std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::map<std::string, std::string> parse_query(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    const size_t equals = std::min(pair.find('='), pair.size());
    query[decoded(pair.substr(0, equals))] =
        equals < pair.size() ? decoded(pair.substr(equals + 1)) : "";
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
  }
  return query;
}

std::vector<std::string> parse_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    parts.push_back(decoded(part));
    path.remove_prefix(part.size());
  }
  return parts;
}

const char* error_id(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 422:
      return "unprocessable_entity";
    case 429:
      return "too_many_requests";
    default:
      return "server_error";
  }
}

int64_t number_or(const std::map<std::string, std::string>& query, const char* name,
                  int64_t fallback) {
  const auto place = query.find(name);
  return place == query.end() ? fallback : std::stoll(place->second);
}

}  // namespace

ApiAnswer ok(int status, const json& body) {
  ApiAnswer answer;
  answer.status = status;
  if (!body.is_null()) answer.body = body.dump();
  return answer;
}

ApiAnswer error(int status, const std::string& message) {
  return ok(status, {{"id", error_id(status)}, {"message", message}});
}

Api::Api(std::function<Milliseconds()> clock) : clock_(std::move(clock)) {}

int64_t Api::writes() const {
  return std::count_if(log_.begin(), log_.end(),
                       [](const Exchange& e) { return e.method != "GET"; });
}

int64_t Api::calls(const std::string& method, const std::string& path_prefix) const {
  return std::count_if(log_.begin(), log_.end(), [&](const Exchange& e) {
    return e.method == method && e.path.starts_with(path_prefix);
  });
}

ApiAnswer Api::handle(const ApiRequest& request) {
  Route route;
  const size_t question = request.target.find('?');
  route.path = request.target.substr(0, question);
  const std::string query =
      question == std::string::npos ? "" : request.target.substr(question + 1);
  route.query = parse_query(query);
  ApiFault fault;
  for (ApiFault& candidate : faults_) {
    if (candidate.count == 0) continue;
    if (!candidate.method.empty() && candidate.method != request.method) continue;
    if (!route.path.starts_with(candidate.path_prefix)) continue;
    if (candidate.count > 0) --candidate.count;
    fault = candidate;
    break;
  }
  const bool usual =
      fault.status == 0 && !fault.cut && !fault.lose_answer && fault.delay == Milliseconds(0);
  if (usual && chance) fault = chance(request).value_or(fault);
  ApiAnswer result;
  if (fault.cut) {
    result.cut = true;
  } else if (fault.status != 0) {
    result = error(fault.status, "injected");
    if (!fault.body.empty()) result.body = fault.body;
    if (fault.retry_after) {
      result.headers.emplace_back("retry-after", std::to_string(*fault.retry_after));
    }
  } else {
    result = answer(request, route);
    result.cut = fault.lose_answer;
  }
  recent_calls_.push_back(clock_());
  add_limit_headers(result);
  result.headers.emplace_back("x-request-id", uuid());
  result.headers.emplace_back("content-type", "application/json; charset=utf-8");
  result.delay = latency + fault.delay;
  log_.push_back({clock_(), request.method, route.path, query, request.body,
                  result.cut ? 0 : result.status, result.body, fault.cut || fault.status != 0});
  if (observer) observer(log_.back());
  return result;
}

ApiAnswer Api::answer(const ApiRequest& request, Route& route) {
  if (request.authorization != "Bearer " + token) return error(401, "Unable to authenticate you");
  if (auto refused = limited()) return *std::move(refused);
  route.parts = parse_path(route.path);
  if (route.parts.size() < 2 || route.parts.front() != "v2") {
    return error(404, "The resource you were accessing could not be found.");
  }
  if (request.method != "GET" && request.content_type != "application/json") {
    return error(400, "content-type must be application/json");
  }
  if (!request.body.empty()) {
    route.body = json::parse(request.body, nullptr, false);
    if (!route.body.is_object()) return error(400, "the body is no JSON object");
  }
  try {
    return dispatch(request.method, route);
  } catch (const json::exception& fault) {
    return error(422, fault.what());
  } catch (const std::invalid_argument&) {
    return error(400, "a number was expected");
  }
}

ApiAnswer Api::dispatch(const std::string& method, Route& route) {
  const std::string& collection = route.parts[1];
  if (collection == "droplets") return droplets(method, route);
  if (collection == "load_balancers") return load_balancers(method, route);
  if (collection == "firewalls") return firewalls(method, route);
  if (collection == "tags") return tags(method, route);
  if (method != "GET") return error(404, "no such resource");
  if (collection == "account") {
    return ok(200, {{"account",
                     {{"droplet_limit", 10000},
                      {"floating_ip_limit", 5},
                      {"email", "owner@example.com"},
                      {"uuid", "b6fr89dbf6d9156cace5f3c78dc9851d957381ef"},
                      {"email_verified", true},
                      {"status", "active"},
                      {"status_message", ""}}}});
  }
  if (collection == "regions") {
    std::vector<json> all;
    for (const std::string& slug : regions) {
      all.push_back({{"slug", slug},
                     {"name", "Region " + slug},
                     {"sizes", json::array({"s-1vcpu-2gb"})},
                     {"features", json::array({"metadata"})},
                     {"available", true}});
    }
    std::vector<const json*> items;
    for (const json& item : all) items.push_back(&item);
    return page("regions", items, route);
  }
  if (collection == "vpcs" && route.parts.size() == 3) {
    if (route.parts[2] != vpc) return error(404, "VPC not found");
    return ok(200, {{"vpc",
                     {{"id", vpc},
                      {"urn", "do:vpc:" + vpc},
                      {"name", "cluster"},
                      {"region", region},
                      {"ip_range", "10.0.0.0/16"},
                      {"default", false},
                      {"created_at", "2026-01-01T00:00:00Z"}}}});
  }
  if (collection == "certificates") {
    if (route.parts.size() == 3) {
      const auto place = certificates_.find(route.parts[2]);
      if (place == certificates_.end()) return error(404, "certificate not found");
      return ok(200, {{"certificate", place->second}});
    }
    std::vector<const json*> items;
    for (const auto& [id, certificate] : certificates_) {
      const auto name = route.query.find("name");
      if (name == route.query.end() || certificate["name"] == name->second) {
        items.push_back(&certificate);
      }
    }
    return page("certificates", items, route);
  }
  return error(404, "no such resource");
}

// DO-312, DO-322: both windows slide.
std::optional<ApiAnswer> Api::limited() {
  const Milliseconds now = clock_();
  while (!recent_calls_.empty() && recent_calls_.front() <= now - kHour) recent_calls_.pop_front();
  const auto recent = recent_calls_.end() -
                      std::upper_bound(recent_calls_.begin(), recent_calls_.end(), now - kMinute);
  if (recent >= minute_limit) {
    ApiAnswer refused = error(429, "Too many requests in a minute");
    const Milliseconds oldest = *(recent_calls_.end() - recent);
    const auto wait = std::chrono::ceil<std::chrono::seconds>(oldest + kMinute - now);
    refused.headers.emplace_back("retry-after", std::to_string(wait.count()));
    return refused;
  }
  if (static_cast<int64_t>(recent_calls_.size()) >= hourly_limit) {
    return error(429, "API rate limit exceeded");
  }
  return std::nullopt;
}

void Api::add_limit_headers(ApiAnswer& answer) {
  const auto used = static_cast<int64_t>(recent_calls_.size());
  const bool of_the_minute =
      std::any_of(answer.headers.begin(), answer.headers.end(),
                  [](const auto& header) { return header.first == "retry-after"; });
  const int64_t left = of_the_minute ? 0 : std::max<int64_t>(hourly_limit - used, 0);
  const Milliseconds oldest = recent_calls_.empty() ? clock_() : recent_calls_.front();
  const auto unix_now =
      std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto reset =
      std::chrono::ceil<std::chrono::seconds>(unix_now + (oldest + kHour - clock_()));
  answer.headers.emplace_back("ratelimit-limit", std::to_string(hourly_limit));
  answer.headers.emplace_back("ratelimit-remaining", std::to_string(left));
  answer.headers.emplace_back("ratelimit-reset", std::to_string(reset.count()));
}

// DO-326: page from 1, per_page 1 to 200, 20 by default; links only where there is somewhere to go.
ApiAnswer Api::page(const std::string& name, const std::vector<const json*>& items,
                    const Route& route) const {
  const int64_t number = number_or(route.query, "page", 1);
  const int64_t size = number_or(route.query, "per_page", 20);
  if (number < 1 || size < 1) return error(400, "page and per_page must be positive");
  const int64_t per_page = std::min<int64_t>(size, 200);
  const auto total = static_cast<int64_t>(items.size());
  const int64_t last = std::max<int64_t>((total + per_page - 1) / per_page, 1);
  json list = json::array();
  for (int64_t i = (number - 1) * per_page; i < std::min(number * per_page, total); ++i) {
    list.push_back(*items[static_cast<size_t>(i)]);
  }
  json pages = json::object();
  const auto link = [&](int64_t to) {
    return "https://api.digitalocean.com" + route.path + "?page=" + std::to_string(to) +
           "&per_page=" + std::to_string(per_page);
  };
  if (number < last) {
    pages["next"] = link(number + 1);
    pages["last"] = link(last);
  }
  if (number > 1) {
    pages["first"] = link(1);
    pages["prev"] = link(number - 1);
  }
  const json links = pages.empty() ? json::object() : json{{"pages", pages}};
  return ok(200, {{name, list}, {"links", links}, {"meta", {{"total", total}}}});
}

std::string Api::uuid() {
  const std::string digits = std::to_string(++made_);
  return "00000000-0000-4000-8000-" + std::string(12 - std::min<size_t>(digits.size(), 12), '0') +
         digits;
}

}  // namespace ccm::digitalocean_api
