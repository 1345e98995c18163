#include "openstack_api/network/listing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack_api {
namespace {

const std::set<std::string> kOptions = {"fields",   "limit",       "marker", "page_reverse",
                                        "sort_key", "sort_dir",    "tags",   "tags-any",
                                        "not-tags", "not-tags-any"};

bool has_all(const json& tags, const std::string& wanted) {
  const auto names = comma_separated(wanted);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(tags.begin(), tags.end(), name) != tags.end();
  });
}

bool has_any(const json& tags, const std::string& wanted) {
  const auto names = comma_separated(wanted);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(tags.begin(), tags.end(), name) != tags.end();
  });
}

bool equals(const json& value, const std::string& text) {
  if (value.is_string()) return value == text;
  if (value.is_null()) return text.empty();
  if (value.is_boolean()) return value == (text == "true" || text == "True" || text == "1");
  return value.dump() == text;
}

// "ip_address=10.0.0.4": one of the fixed addresses has it.
bool has_fixed_ip(const json& port, const std::string& wanted) {
  const size_t equals_sign = std::min(wanted.find('='), wanted.size());
  const std::string member = wanted.substr(0, equals_sign);
  const std::string value = wanted.substr(std::min(equals_sign + 1, wanted.size()));
  return std::any_of(port.at("fixed_ips").begin(), port.at("fixed_ips").end(),
                     [&](const json& fixed) { return fixed.value(member, "") == value; });
}

// Values of one member are alternatives, different members must all fit.
bool has_fixed_ips(const json& port, const std::vector<std::string>& wanted) {
  std::map<std::string, bool> members;
  for (const std::string& each : wanted) {
    bool& fits = members[each.substr(0, each.find('='))];
    fits = fits || has_fixed_ip(port, each);
  }
  return std::all_of(members.begin(), members.end(), [](const auto& one) { return one.second; });
}

// The members that `fields` names, if it names some.
json chosen(json item, const Query& query) {
  const auto fields = query.values("fields");
  if (fields.empty()) return item;
  json some = json::object();
  for (const std::string& field : fields) {
    if (item.contains(field)) some[field] = item.at(field);
  }
  return some;
}

std::string href(const std::string& url, const Call& call, const std::string& marker,
                 bool reverse) {
  std::string query = call.query.text({"marker", "page_reverse"});
  if (!query.empty()) query += "&";
  return url + call.path_text + "?" + query + "marker=" + marker +
         (reverse ? "&page_reverse=True" : "");
}

bool matches(const json& record, const Call& call) {
  const auto& query = call.query;
  const json& tags = record.contains("tags") ? record.at("tags") : record.at(".tags");
  if (const auto wanted = query.value("tags"); wanted && !has_all(tags, *wanted)) return false;
  if (const auto wanted = query.value("tags-any"); wanted && !has_any(tags, *wanted)) return false;
  if (const auto wanted = query.value("not-tags"); wanted && has_all(tags, *wanted)) return false;
  if (const auto wanted = query.value("not-tags-any"); wanted && has_any(tags, *wanted))
    return false;
  std::set<std::string> names;
  for (const auto& [name, value] : query.pairs()) {
    if (!kOptions.contains(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto values = query.values(name);
    if (name == "fixed_ips") {
      if (!has_fixed_ips(record, values)) return false;
    } else if (!std::any_of(values.begin(), values.end(), [&](const std::string& value) {
                 const json& member = record.at(name);
                 if (!member.is_array()) return equals(member, value);
                 return std::find(member.begin(), member.end(), value) != member.end();
               })) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool NetworkListing::is_visible(const json& record, const Caller& caller) {
  if (caller.sees(record.at("project_id"))) return true;
  return record.value("shared", false) || record.value("router:external", false);
}

Answer NetworkListing::list(const Resource& resource, const Call& call) const {
  const auto& query = call.query;
  for (const auto& [name, value] : query.pairs()) {
    const bool known =
        kOptions.contains(name) ||
        std::any_of(resource.attributes.begin(), resource.attributes.end(),
                    [&, &wanted = name](const Attribute& a) { return a.name == wanted; });
    if (!known)
      refuse(400, "HTTPBadRequest", "['" + name + "'] is invalid attribute for filtering");
  }
  size_t limit = 0;
  if (const auto text = query.value("limit")) {
    const bool number = !text->empty() && text->find_first_not_of("0123456789") == text->npos;
    if (!number) {
      refuse(400, "BadRequest",
             "Bad limit request: Limit must be an integer 0 or greater and not '" + *text + "'.");
    }
    limit = std::stoul(*text);
  }
  if (page_size_ != 0 && (limit == 0 || limit > page_size_)) limit = page_size_;
  const auto keys = query.values("sort_key");
  const auto directions = query.values("sort_dir");
  if (keys.size() != directions.size()) {
    refuse(400, "HTTPBadRequest", "The number of sort_keys and sort_dirs must be same");
  }
  std::vector<const json*> found;
  for (const json& record : store_.of(resource.collection)) {
    if (is_visible(record, call.caller) && matches(record, call)) found.push_back(&record);
  }
  std::stable_sort(found.begin(), found.end(), [&](const json* a, const json* b) {
    for (size_t i = 0; i < keys.size(); ++i) {
      const json& left = a->at(keys[i]);
      const json& right = b->at(keys[i]);
      if (left != right) return directions[i] == "desc" ? right < left : left < right;
    }
    return false;
  });
  const bool reverse = equals(true, query.value("page_reverse").value_or(""));
  if (reverse) std::reverse(found.begin(), found.end());
  // A marker that is gone is not noticed: the first page comes again.
  if (const auto marker = query.value("marker")) {
    const auto place = std::find_if(found.begin(), found.end(),
                                    [&](const json* r) { return r->at("id") == *marker; });
    if (place != found.end()) found.erase(found.begin(), place + 1);
  }
  if (limit != 0 && found.size() > limit) found.resize(limit);
  if (reverse) std::reverse(found.begin(), found.end());

  json items = json::array();
  for (const json* record : found) {
    items.push_back(chosen(shown(resource, *record, call.caller), query));
  }
  json body = {{resource.collection, std::move(items)}};
  if (limit != 0) {
    json links = json::array();
    const bool whole = found.size() == limit;
    if (whole || reverse) {
      const std::string last = found.empty() ? "" : found.back()->at("id").get<std::string>();
      links.push_back({{"rel", "next"}, {"href", href(store_.world().url, call, last, false)}});
    }
    if (whole || !reverse) {
      const std::string first = found.empty() ? "" : found.front()->at("id").get<std::string>();
      links.push_back({{"rel", "previous"}, {"href", href(store_.world().url, call, first, true)}});
    }
    body[std::string(resource.collection) + "_links"] = std::move(links);
  }
  return answer(200, body);
}

json NetworkListing::show(const Resource& resource, const json& record, const Call& call) const {
  return chosen(shown(resource, record, call.caller), call.query);
}

json NetworkListing::shown(const Resource& resource, const json& record,
                           const Caller& caller) const {
  json out = visible(record);
  for (const Attribute& attribute : resource.attributes) {
    const bool provider = std::string_view(attribute.name).starts_with("provider:");
    if (provider && !caller.is_admin()) out.erase(attribute.name);
  }
  const std::string_view kind = resource.member;
  if (kind == "network" && !record.at("router:external")) out.erase("is_default");
  if (kind == "floatingip") {
    out["port_details"] = nullptr;
    const json& port_id = record.at("port_id");
    if (const json* port = port_id.is_null() ? nullptr : store_.of("ports").find(port_id)) {
      json& details = out["port_details"] = json::object();
      for (const char* name : {"name", "network_id", "mac_address", "admin_state_up", "status",
                               "device_id", "device_owner"}) {
        details[name] = port->at(name);
      }
    }
  }
  if (kind == "security_group") {
    json& rules = out["security_group_rules"] = json::array();
    for (const json& rule : store_.of("security_group_rules")) {
      if (rule.at("security_group_id") != record.at("id")) continue;
      rules.push_back(visible(rule));
      rules.back().update(
          {{"standard_attr_id", rule.at(".standard_attr_id")}, {"tags", json::array()}});
    }
  }
  return out;
}
}  // namespace ccm::openstack_api
