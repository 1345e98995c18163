#include "openstack_api/load_balancer/listing.hpp"

#include "openstack_api/load_balancer/fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ccm::openstack_api {
namespace {

const std::set<std::string> kOptions = {"fields",   "limit",    "marker",      "page_reverse",
                                        "sort",     "sort_key", "sort_dir",    "tags",
                                        "tags-any", "not-tags", "not-tags-any"};

// How many of the names, separated by commas, are among the tags.
size_t common(const json& tags, const std::string& names) {
  const auto wanted = comma_separated(names);
  return static_cast<size_t>(
      std::count_if(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return std::find(tags.begin(), tags.end(), name) != tags.end();
      }));
}

bool has_tags(const json& tags, const Query& query) {
  const auto all = [&](const std::string& names) {
    return common(tags, names) == comma_separated(names).size();
  };
  for (const std::string& names : query.values("tags")) {
    if (!all(names)) return false;
  }
  if (const auto names = query.value("tags-any"); names && common(tags, *names) == 0) return false;
  if (const auto names = query.value("not-tags"); names && all(*names)) return false;
  if (const auto names = query.value("not-tags-any"); names && common(tags, *names) != 0)
    return false;
  return true;
}

bool equals(const json& value, const std::string& text) {
  return value.is_string()    ? value == text
         : value.is_boolean() ? value == (text == "true" || text == "True")
                              : value.dump() == text;
}

// The member of a record that a filter looks at; nullptr when there is no such filter.
const json* filtered(const json& record, const std::string& name) {
  const bool of_lb = name == "loadbalancer_id" || name == "load_balancer_id";
  const std::string member = of_lb ? ".lb" : name == "pool_id" ? ".pool" : name;
  const auto place = record.find(member);
  return place != record.end() ? &*place : nullptr;
}

}  // namespace

Answer LoadBalancerListing::list(const Call& call, const std::string& collection,
                                 const std::string& parent) const {
  const auto& query = call.query;
  static const std::map<std::string, std::set<std::string>> kMoreFilters = {
      {"loadbalancers", {}},
      {"listeners", {"loadbalancer_id", "load_balancer_id"}},
      {"pools", {"loadbalancer_id", "load_balancer_id", "listener_id"}},
      {"members", {}},
      {"healthmonitors", {"pool_id"}}};
  static const std::set<std::string> kFilters = {"id",
                                                 "name",
                                                 "description",
                                                 "admin_state_up",
                                                 "project_id",
                                                 "tenant_id",
                                                 "provider",
                                                 "vip_address",
                                                 "vip_port_id",
                                                 "vip_subnet_id",
                                                 "vip_network_id",
                                                 "flavor_id",
                                                 "protocol",
                                                 "protocol_port",
                                                 "provisioning_status",
                                                 "operating_status",
                                                 "default_pool_id",
                                                 "lb_algorithm",
                                                 "address",
                                                 "weight",
                                                 "subnet_id",
                                                 "type",
                                                 "delay",
                                                 "availability_zone"};
  for (const auto& [name, value] : query.pairs()) {
    if (kOptions.contains(name) || kFilters.contains(name) ||
        kMoreFilters.at(collection).contains(name))
      continue;
    refuse_octavia(400, "One or more arguments are either duplicate or invalid");
  }
  size_t limit = settings_.page_size;
  bool limited = true;
  if (const auto text = query.value("limit")) {
    if (text->empty() || text->find_first_not_of("0123456789") != text->npos) {
      throw Refusal{answer(
          400, {{"code", 400},
                {"title", "Bad Request"},
                {"description", "Supplied pagination limit '" + *text + "' is not valid."}})};
    }
    limit = std::min(limit, size_t{std::stoul(*text)});
    limited = limit != 0;
  }
  std::vector<const json*> found;
  const auto look_at = [&](const json& record) {
    if (!call.caller.sees(record.at("project_id"))) return;
    const bool tagged = !settings_.allow_filtering || has_tags(record.at("tags"), query);
    const bool fits =
        !settings_.allow_filtering ||
        std::all_of(query.pairs().begin(), query.pairs().end(), [&](const auto& pair) {
          if (kOptions.contains(pair.first)) return true;
          const json* member = filtered(record, pair.first);
          return member != nullptr && equals(*member, pair.second);
        });
    if (tagged && fits) found.push_back(&record);
  };
  const Records& records = store_.of(collection);
  if (!parent.empty()) {
    for (const json* record : records.of(parent)) look_at(*record);
  } else {
    for (const json& record : records) look_at(record);
  }
  const std::string sort = query.value("sort").value_or(query.value("sort_key").value_or(""));
  if (const std::string key = sort.substr(0, sort.find(':')); !key.empty()) {
    std::stable_sort(found.begin(), found.end(), [&](const json* a, const json* b) {
      return a->value(key, json()) < b->value(key, json());
    });
    if (sort.ends_with(":desc")) std::reverse(found.begin(), found.end());
  }
  const bool reverse = query.value("page_reverse").value_or("") == "True";
  if (reverse) std::reverse(found.begin(), found.end());
  const auto marker = query.value("marker");
  if (marker) {
    const auto place = std::find_if(found.begin(), found.end(),
                                    [&](const json* r) { return r->at("id") == *marker; });
    if (place == found.end())
      refuse_octavia(400, "Supplied pagination marker '" + *marker + "' is not valid.");
    found.erase(found.begin(), place + 1);
  }
  if (limited && found.size() > limit) found.resize(limit);
  if (reverse) std::reverse(found.begin(), found.end());

  json items = json::array();
  for (const json* record : found) {
    json item = shown(collection, *record);
    if (const auto fields = query.values("fields"); !fields.empty()) {
      json chosen = json::object();
      for (const std::string& field : fields) {
        if (item.contains(field)) chosen[field] = item.at(field);
      }
      item = std::move(chosen);
    }
    items.push_back(std::move(item));
  }
  // The links keep limit and order, but neither filters nor fields.
  json links = json::array();
  if (!found.empty()) {
    std::string start = store_.world().url + call.path_text + "?limit=" + std::to_string(limit);
    for (const char* name : {"sort", "sort_key"}) {
      if (const auto value = query.value(name)) start += std::string("&") + name + "=" + *value;
    }
    const std::string first = found.front()->at("id");
    const std::string last = found.back()->at("id");
    if (marker)
      links.push_back(
          {{"rel", "previous"}, {"href", start + "&marker=" + first + "&page_reverse=True"}});
    if (limited && found.size() >= limit)
      links.push_back({{"rel", "next"}, {"href", start + "&marker=" + last}});
  }
  return answer(200, {{collection, std::move(items)}, {collection + "_links", std::move(links)}});
}

json LoadBalancerListing::shown(const std::string& collection, const json& record) const {
  json out = visible(record);
  const json& id = record.at("id");
  if (collection == "loadbalancers") {
    out["listeners"] = store_.ids("listeners", id);
    out["pools"] = store_.ids("pools", id);
  } else if (collection == "listeners") {
    out["loadbalancers"] = json::array({{{"id", record.at(".lb")}}});
    out["l7policies"] = json::array();
  } else if (collection == "pools") {
    out["loadbalancers"] = json::array({{{"id", record.at(".lb")}}});
    out["listeners"] = store_.listeners_of(record);
    out["members"] = store_.ids("members", id);
    if (const json* monitor = store_.monitor_of(id)) out["healthmonitor_id"] = monitor->at("id");
  } else if (collection == "healthmonitors") {
    out["pools"] = json::array({{{"id", record.at(".pool")}}});
  }
  return out;
}

// The answer to a fully populated request: objects where there are IDs otherwise.
json LoadBalancerListing::populated(const json& load_balancer) const {
  json out = visible(load_balancer);
  out["listeners"] = json::array();
  out["pools"] = json::array();
  for (const json* listener : store_.of("listeners").of(load_balancer.at("id"))) {
    json item = shown("listeners", *listener);
    item.erase("loadbalancers");
    out["listeners"].push_back(std::move(item));
  }
  for (const json* pool : store_.of("pools").of(load_balancer.at("id"))) {
    json item = visible(*pool);
    item["listeners"] = store_.listeners_of(*pool);
    item["members"] = json::array();
    for (const json* member : store_.of("members").of(pool->at("id")))
      item["members"].push_back(visible(*member));
    const json* monitor = store_.monitor_of(pool->at("id"));
    item["healthmonitor"] = monitor != nullptr ? visible(*monitor) : json();
    out["pools"].push_back(std::move(item));
  }
  return out;
}

json LoadBalancerListing::tree(const json& load_balancer) const {
  const auto pick = [](const json& record, std::initializer_list<const char*> more) {
    json out = json::object();
    for (const char* name : {"id", "name", "provisioning_status", "operating_status"})
      out[name] = record.at(name);
    for (const char* name : more) out[name] = record.at(name);
    return out;
  };
  json out = pick(load_balancer, {});
  out["listeners"] = json::array();
  for (const json* listener : store_.of("listeners").of(load_balancer.at("id"))) {
    json item = pick(*listener, {});
    item["pools"] = json::array();
    const json& pool_id = listener->at("default_pool_id");
    if (const json* pool = pool_id.is_null() ? nullptr : store_.of("pools").find(pool_id)) {
      json below = pick(*pool, {});
      below["members"] = json::array();
      for (const json* member : store_.of("members").of(pool_id)) {
        below["members"].push_back(pick(*member, {"address", "protocol_port"}));
      }
      if (const json* monitor = store_.monitor_of(pool_id))
        below["health_monitor"] = pick(*monitor, {"type"});
      item["pools"].push_back(std::move(below));
    }
    out["listeners"].push_back(std::move(item));
  }
  return out;
}

json LoadBalancerListing::versions(const std::string& url) const {
  json list = json::array();
  for (int minor = 0; minor <= settings_.newest_version; ++minor) {
    list.push_back({{"id", "v2." + std::to_string(minor)},
                    {"status", minor == settings_.newest_version ? "CURRENT" : "SUPPORTED"},
                    {"updated", "2016-12-11T00:00:00Z"},
                    {"links", json::array({{{"rel", "self"}, {"href", url + "/v2"}}})}});
  }
  return list;
}
}  // namespace ccm::openstack_api
