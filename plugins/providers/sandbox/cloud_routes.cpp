#include "cloud_routes.hpp"

#include "machine.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::Ctx;
using ccm::ErrorClass;
using ccm::Result;
using ccm::Route;
using ccm::Status;
using ccm::Task;
using nlohmann::json;

constexpr int kRoutePageSize = 200;

Status bad_routes(const std::string& what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "the cloud's answer " + what)
      .with_reason("BadAnswer");
}

// Throws json::exception.
Route read_route(const json& object, const std::string& cluster_name) {
  Route route;
  route.id = object.at("id").get<std::string>();
  route.destination_cidr = object.at("destination").get<std::string>();
  route.target_node = object.value("node", "");
  const std::string machine = object.value("machine_id", "");
  if (!machine.empty()) route.target_provider_id = std::string(kProviderIdPrefix) + machine;
  route.owned = !cluster_name.empty() && object.value("owner", "") == cluster_name;
  route.blackhole = object.value("blackhole", false);
  return route;
}

Status outcome_of(const json& result) {
  const std::string code = result.at("code").get<std::string>();
  const std::string message = "ApplyRoutes: " + result.value("message", code);
  if (code == "ok" || code == "not_found") return {};
  if (code == "quota") {
    return Status(Code::resource_exhausted, ErrorClass::quota, message)
        .with_reason("RouteTableFull");
  }
  if (code == "no_machine") {
    return Status(Code::failed_precondition, message).with_reason("InstanceNotFound");
  }
  if (code == "conflict") return Status(Code::aborted, ErrorClass::conflict, message);
  if (code == "invalid") return Status(Code::invalid_argument, ErrorClass::invalid_spec, message);
  return Status(Code::unknown, message);
}

std::string batch_of(const std::string& cluster_name, const std::vector<Route>& removals,
                     const std::vector<Route>& additions,
                     const std::vector<std::string>& machine_ids) {
  json remove = json::array();
  for (const Route& route : removals) remove.push_back(route.id);
  json add = json::array();
  for (std::size_t index = 0; index < additions.size(); ++index) {
    const Route& route = additions[index];
    add.push_back({{"destination", route.destination_cidr},
                   {"machine_id", machine_ids[index]},
                   {"owner", cluster_name},
                   {"node", route.target_node},
                   {"name", route.name_hint}});
  }
  return json{{"remove", remove}, {"add", add}}.dump(-1, ' ', false,
                                                     json::error_handler_t::replace);
}

CloudRoutes::Statuses parse_outcomes(const std::string& text, std::size_t count) {
  const Result<json> document = ccm::read_json(text);
  if (!document.ok()) return bad_routes(document.status().message());
  try {
    std::vector<Status> statuses;
    for (const json& result : document->at("results")) statuses.push_back(outcome_of(result));
    if (statuses.size() != count) return bad_routes("has not one outcome for each change");
    return statuses;
  } catch (const json::exception&) {
    return bad_routes("is not what the API says");
  }
}

Result<ccm::RouteLimits> parse_route_limits(const std::string& text) {
  const Result<json> document = ccm::read_json(text);
  if (!document.ok()) return bad_routes(document.status().message());
  const auto number = [&](const char* name) {
    return document->is_object() && document->contains(name) &&
           document->at(name).is_number_integer();
  };
  if (!number("routes") || !number("batch")) return bad_routes("has no limits of routes");
  ccm::RouteLimits limits;
  limits.routes = document->at("routes").get<int64_t>();
  limits.batch = document->at("batch").get<int64_t>();
  return limits;
}

}  // namespace

Result<RoutePage> parse_route_page(std::string_view text, const std::string& cluster_name) {
  const Result<json> document = ccm::read_json(text);
  if (!document.ok()) return bad_routes(document.status().message());
  try {
    RoutePage page;
    for (const json& object : document->at("routes")) {
      page.routes.push_back(read_route(object, cluster_name));
    }
    page.total = document->at("meta").at("total").get<std::size_t>();
    page.last = document->at("meta").at("next_page").is_null();
    return page;
  } catch (const json::exception&) {
    return bad_routes("is not what the API says");
  }
}

Task<Result<std::vector<Route>>> CloudRoutes::list(Ctx ctx, std::string cluster_name) {
  std::vector<Route> routes;
  std::set<std::string> ids;
  for (int number = 1;; ++number) {
    std::string path =
        "/v1/routes?page=" + std::to_string(number) + "&per_page=" + std::to_string(kRoutePageSize);
    std::string operation = "ListRoutes";
    auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
    if (!body.ok()) co_return body.status();
    auto page = parse_route_page(*body, cluster_name);
    if (!page.ok()) co_return page.status().with_context("ListRoutes");
    if (!page->last && page->routes.empty()) co_return bad_routes("has an empty page");
    for (Route& route : page->routes) {
      if (!ids.insert(route.id).second) co_return bad_routes("has route " + route.id + " twice");
      routes.push_back(std::move(route));
    }
    if (!page->last) continue;
    if (page->total != routes.size()) co_return bad_routes("has not all routes that it counts");
    co_return routes;
  }
}

Task<CloudRoutes::Statuses> CloudRoutes::apply(Ctx ctx, std::string cluster_name,
                                               std::vector<Route> removals,
                                               std::vector<Route> additions,
                                               std::vector<std::string> machine_ids) {
  const std::size_t count = removals.size() + additions.size();
  if (count == 0) co_return std::vector<Status>();
  std::string method = "POST";
  std::string path = "/v1/routes/batch";
  std::string body = batch_of(cluster_name, removals, additions, machine_ids);
  std::string operation = "ApplyRoutes";
  auto answer = co_await cloud_.send(ctx, std::move(method), std::move(path), std::move(body),
                                     std::move(operation));
  if (!answer.ok()) co_return answer.status();
  co_return parse_outcomes(*answer, count);
}

Task<Result<ccm::RouteLimits>> CloudRoutes::limits(Ctx ctx) {
  std::string path = "/v1/limits";
  std::string operation = "GetLimits";
  auto body = co_await cloud_.get(ctx, std::move(path), std::move(operation));
  if (!body.ok()) co_return body.status();
  co_return parse_route_limits(*body);
}

}  // namespace sandbox
