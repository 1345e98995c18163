#include "router.hpp"

#include "openstack/json_answer.hpp"

#include <ccm/cidr.hpp>
#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr int kRevisionTries = 5;

Result<Router> read_router(const json& document) {
  const json& entry = document.at("router");
  Router router;
  router.id = text_of(entry, "id");
  if (router.id.empty()) return bad_answer("has a router without an ID");
  for (const json& route : part_of(entry, "routes")) {
    router.routes.push_back({text_of(route, "destination"), text_of(route, "nexthop")});
  }
  for (const json& tag : part_of(entry, "tags")) router.tags.push_back(tag.get<std::string>());
  router.revision = integer_or(entry, "revision_number", -1);
  return router;
}

Result<std::set<std::string>> read_extensions(const json& document) {
  std::set<std::string> aliases;
  for (const json& entry : document.at("extensions")) aliases.insert(text_of(entry, "alias"));
  return aliases;
}

bool goes_on(const json& document, const char* links) {
  for (const json& link : part_of(document, links)) {
    if (text_of(link, "rel") == "next") return true;
  }
  return false;
}

struct InterfacePage {
  std::set<std::string> networks;
  std::set<std::string> subnets;
  std::size_t ports = 0;
  std::string last;
  bool more = false;
};

Result<InterfacePage> read_interfaces(const json& document) {
  InterfacePage page;
  for (const json& port : document.at("ports")) {
    ++page.ports;
    page.last = text_of(port, "id");
    page.networks.insert(text_of(port, "network_id"));
    for (const json& fixed : part_of(port, "fixed_ips")) {
      page.subnets.insert(text_of(fixed, "subnet_id"));
    }
  }
  page.subnets.erase("");
  page.more = goes_on(document, "ports_links");
  return page;
}

struct SubnetPage {
  std::vector<std::pair<std::string, std::string>> ranges;  // with the ID
  bool more = false;
};

Result<SubnetPage> read_subnet_ranges(const json& document) {
  SubnetPage page;
  for (const json& subnet : document.at("subnets")) {
    page.ranges.emplace_back(text_of(subnet, "id"), text_of(subnet, "cidr"));
  }
  page.more = goes_on(document, "subnets_links");
  return page;
}

std::string routes_body(const std::vector<ExtraRoute>& routes) {
  json list = json::array();
  for (const ExtraRoute& route : routes) {
    list.push_back({{"destination", route.destination}, {"nexthop", route.next_hop}});
  }
  return json{{"router", {{"routes", std::move(list)}}}}.dump(-1, ' ', false,
                                                              json::error_handler_t::replace);
}

// The list after the change.
std::vector<ExtraRoute> changed(std::vector<ExtraRoute> list, const std::vector<ExtraRoute>& routes,
                                bool add) {
  std::set<ExtraRoute> those;
  for (const ExtraRoute& route : routes) those.insert(normal_form(route));
  if (!add) {
    std::erase_if(list, [&](const ExtraRoute& one) { return those.contains(normal_form(one)); });
    return list;
  }
  for (const ExtraRoute& one : list) those.erase(normal_form(one));
  std::copy(those.begin(), those.end(), std::back_inserter(list));
  return list;
}

}  // namespace

ExtraRoute normal_form(ExtraRoute route) {
  if (const auto range = parse_cidr(route.destination)) route.destination = range->text();
  const char* whole = route.next_hop.find(':') == std::string::npos ? "/32" : "/128";
  if (const auto address = parse_cidr(route.next_hop + whole)) {
    route.next_hop = address->text();
    route.next_hop.resize(route.next_hop.find('/'));
  }
  return route;
}

Result<Router> parse_router(std::string_view json_text) {
  return read_answer(json_text, &read_router);
}

RouterFeatures router_features(const std::set<std::string>& extensions) {
  RouterFeatures features;
  features.atomic = extensions.contains("extraroute-atomic");
  features.extra_routes = features.atomic || extensions.contains("extraroute");
  features.pairs = extensions.contains("allowed-address-pairs");
  features.if_match = extensions.contains("revision-if-match");
  features.tags = extensions.contains("standard-attr-tag");
  // Both came with release 2025.1, as did the limit of 50 tags.
  features.long_tags = extensions.contains("tag-creation");
  return features;
}

void RouterApi::configure(std::string router_id) {
  id_ = std::move(router_id);
  known_ = false;
}

std::string RouterApi::path(const std::string& rest) const {
  return "routers/" + percent_encode(id_) + rest;
}

Task<Result<RouterFeatures>> RouterApi::features(Ctx ctx) {
  if (known_) co_return features_;
  Call question;
  question.service = "network";
  question.path = "extensions";
  question.operation = "ListExtensions";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status();
  const auto aliases = read_answer(*body, &read_extensions);
  if (!aliases.ok()) co_return aliases.status().with_context("ListExtensions");
  features_ = router_features(*aliases);
  known_ = true;
  co_return features_;
}

Task<Result<Router>> RouterApi::read(Ctx ctx) {
  Call question;
  question.service = "network";
  question.path = path("?fields=id&fields=routes&fields=tags&fields=revision_number");
  question.operation = "GetRouter";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status().with_context("[Route] router-id " + id_);
  auto router = parse_router(*body);
  if (!router.ok()) co_return router.status().with_context("GetRouter");
  co_return router;
}

Task<Status> RouterApi::learn_subnets(Ctx ctx, const std::set<std::string>& ids) {
  std::string query;
  for (const std::string& id : ids) {
    if (!subnets_.contains(id)) query += "&id=" + percent_encode(id);
  }
  if (query.empty()) co_return Status();
  Collection collection{"network", "subnets?fields=id&fields=cidr" + query, "ListSubnets", {}};
  std::map<std::string, std::string> found;
  PageReader reader = [&found](const std::string& body, bool first) -> Result<PageInfo> {
    const auto page = read_answer(body, &read_subnet_ranges);
    if (!page.ok()) return page.status();
    if (first) found.clear();
    found.insert(page->ranges.begin(), page->ranges.end());
    return PageInfo{page->ranges.size(), page->ranges.empty() ? "" : page->ranges.back().first,
                    page->more};
  };
  Status status = co_await api_.list(ctx, std::move(collection), reader);
  // A credential's access rules may not permit it; the host looks at the addresses of instances.
  if (status.code() == Code::permission_denied) co_return Status();
  if (!status.ok()) co_return status;
  for (const std::string& id : ids) subnets_.try_emplace(id, found[id]);
  co_return status;
}

Task<Result<RouterNetworks>> RouterApi::networks(Ctx ctx) {
  Collection collection{
      "network",
      "ports?device_id=" + percent_encode(id_) + "&fields=id&fields=network_id&fields=fixed_ips",
      "ListRouterPorts",
      {}};
  std::set<std::string> ids;
  std::set<std::string> subnets;
  PageReader reader = [&](const std::string& body, bool first) -> Result<PageInfo> {
    const auto page = read_answer(body, &read_interfaces);
    if (!page.ok()) return page.status();
    if (first) ids.clear();
    ids.insert(page->networks.begin(), page->networks.end());
    subnets.insert(page->subnets.begin(), page->subnets.end());
    return PageInfo{page->ports, page->last, page->more};
  };
  Status status = co_await api_.list(ctx, std::move(collection), reader);
  if (!status.ok()) co_return status;
  status = co_await learn_subnets(ctx, subnets);
  if (!status.ok()) co_return status;
  RouterNetworks networks;
  networks.ids.assign(ids.begin(), ids.end());
  for (const std::string& id : subnets) {
    if (const auto range = parse_cidr(subnets_[id])) networks.subnets.push_back(*range);
  }
  co_return networks;
}

Task<Status> RouterApi::write(Ctx ctx, Call call) {
  call.service = "network";
  call.idempotent = true;
  const auto body = co_await api_.call(ctx, std::move(call));
  co_return body.status();
}

// Without the atomic extension the whole list is written, for the revision that was read (OS-183).
Task<Status> RouterApi::change(Ctx ctx, std::vector<ExtraRoute> routes, bool add) {
  if (routes.empty()) co_return Status();
  const auto known = co_await features(ctx);
  if (!known.ok()) co_return known.status();
  Call call;
  call.method = "PUT";
  call.operation = add ? "AddExtraRoutes" : "RemoveExtraRoutes";
  if (known->atomic) {
    call.path = path(add ? "/add_extraroutes" : "/remove_extraroutes");
    call.body = routes_body(routes);
    Status status = co_await write(ctx, std::move(call));
    co_return status;
  }
  for (int left = kRevisionTries;; --left) {
    auto router = co_await read(ctx);
    if (!router.ok()) co_return router.status();
    const auto list = changed(router->routes, routes, add);
    if (list == router->routes) co_return Status();
    Call put = call;
    put.path = path();
    put.body = routes_body(list);
    if (known->if_match && router->revision >= 0) {
      put.if_match = "revision_number=" + std::to_string(router->revision);
    }
    Status status = co_await write(ctx, std::move(put));
    if (status.error_class() != ErrorClass::conflict || left == 1) co_return status;
  }
}

Task<Status> RouterApi::remove(Ctx ctx, std::vector<ExtraRoute> routes) {
  return change(std::move(ctx), std::move(routes), false);
}

Task<Status> RouterApi::add(Ctx ctx, std::vector<ExtraRoute> routes) {
  return change(std::move(ctx), std::move(routes), true);
}

Task<Status> RouterApi::add_tag(Ctx ctx, std::string tag) {
  Call call;
  call.method = "PUT";
  call.path = path("/tags/" + percent_encode(tag));
  call.operation = "AddRouterTag";
  return write(std::move(ctx), std::move(call));
}

Task<Status> RouterApi::remove_tag(Ctx ctx, std::string tag) {
  Call call;
  call.method = "DELETE";
  call.path = path("/tags/" + percent_encode(tag));
  call.operation = "RemoveRouterTag";
  Status status = co_await write(ctx, std::move(call));
  if (status.error_class() == ErrorClass::not_found) co_return Status();
  co_return status;
}

}  // namespace ccm::openstack
