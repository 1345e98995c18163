#include "api.hpp"

#include "collections.hpp"

#include <algorithm>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

constexpr Milliseconds kMinute{60'000};
constexpr Milliseconds kHour{3'600'000};

}  // namespace

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
  Route route = parse_target(request.target);
  const size_t question = request.target.find('?');
  const std::string query =
      question == std::string::npos ? "" : request.target.substr(question + 1);
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
  recent_calls_.push_back(time());
  add_limit_headers(result);
  result.headers.emplace_back("x-request-id", uuid());
  result.headers.emplace_back("content-type", "application/json; charset=utf-8");
  result.delay = latency + fault.delay;
  log_.push_back({time(), request.method, route.path, query, request.body,
                  result.cut ? 0 : result.status, result.body, fault.cut || fault.status != 0});
  if (observer) observer(log_.back());
  return result;
}

ApiAnswer Api::answer(const ApiRequest& request, Route& route) {
  if (request.authorization != "Bearer " + token) return error(401, "Unable to authenticate you");
  if (auto refused = limited()) return *std::move(refused);
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

ApiAnswer Api::dispatch(const std::string& method, const Route& route) {
  const std::string& collection = route.parts[1];
  if (collection == "droplets") return answer_droplets(*this, method, route);
  if (collection == "load_balancers") return answer_load_balancers(*this, method, route);
  if (collection == "firewalls") return answer_firewalls(*this, method, route);
  if (collection == "tags") return answer_tags(*this, method, route);
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
      const auto place = certificates().find(route.parts[2]);
      if (place == certificates().end()) return error(404, "certificate not found");
      return ok(200, {{"certificate", place->second}});
    }
    std::vector<const json*> items;
    for (const auto& [id, certificate] : certificates()) {
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
  const Milliseconds now = time();
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
  const Milliseconds oldest = recent_calls_.empty() ? time() : recent_calls_.front();
  const auto unix_now =
      std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto reset = std::chrono::ceil<std::chrono::seconds>(unix_now + (oldest + kHour - time()));
  answer.headers.emplace_back("ratelimit-limit", std::to_string(hourly_limit));
  answer.headers.emplace_back("ratelimit-remaining", std::to_string(left));
  answer.headers.emplace_back("ratelimit-reset", std::to_string(reset.count()));
}

}  // namespace ccm::digitalocean_api
