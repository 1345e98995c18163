#include "collections.hpp"

#include <algorithm>
#include <regex>

namespace ccm::digitalocean_api {

ApiAnswer answer_tags(Account& account, const std::string& method, const Route& route) {
  static const std::regex kName("^[a-zA-Z0-9_\\-\\:]+$");
  const auto as_json = [](const std::string& name, size_t count) {
    return json{{"name", name}, {"resources", {{"count", count}}}};
  };
  if (route.parts.size() == 2) {
    if (method == "POST") {
      const std::string name = route.body.value("name", "");
      if (name.size() > 255 || !std::regex_match(name, kName)) {
        return ok(
            400, {{"error", "invalid tag"}, {"messages", nullptr}, {"root_causes", json::array()}});
      }
      account.tags()[name];
      return ok(201, {{"tag", as_json(name, 0)}});
    }
    std::vector<json> all;
    for (const auto& [name, resources] : account.tags())
      all.push_back(as_json(name, resources.size()));
    std::vector<const json*> items;
    for (const json& item : all) items.push_back(&item);
    return page("tags", items, route);
  }
  const auto place = account.tags().find(route.parts[2]);
  if (place == account.tags().end()) return error(404, "tag not found");
  if (route.parts.size() == 3) {
    if (method == "GET") return ok(200, {{"tag", as_json(place->first, place->second.size())}});
    if (method != "DELETE") return error(404, "no such resource");
    for (auto& [id, balancer] : account.load_balancers()) {
      json& labels = balancer["tags"];
      labels.erase(std::remove(labels.begin(), labels.end(), json(place->first)), labels.end());
    }
    account.tags().erase(place);
    return ok(204, nullptr);
  }
  if (route.parts[3] != "resources" || (method != "POST" && method != "DELETE")) {
    return error(404, "no such resource");
  }
  for (const json& resource : route.body.at("resources")) {
    const std::string id = resource.at("resource_id");
    const std::string type = resource.at("resource_type");
    if (type == "load_balancer" && !account.load_balancers().contains(id))
      return error(422, "no such resource");
    if (type == "droplet" && !account.droplets().contains(std::stoll(id)))
      return error(422, "no such resource");
  }
  for (const json& resource : route.body.at("resources")) {
    const std::string id = resource.at("resource_id");
    const std::string type = resource.at("resource_type");
    const std::string key = type + "/" + id;
    std::erase(place->second, key);
    if (method == "POST") place->second.push_back(key);
    json* labels = type == "load_balancer" ? &account.load_balancers().at(id)["tags"]
                   : type == "droplet"     ? &account.droplet(std::stoll(id))["tags"]
                                           : nullptr;
    if (labels == nullptr) continue;
    const auto found = std::find(labels->begin(), labels->end(), json(place->first));
    if (found != labels->end()) labels->erase(found);
    if (method == "POST") labels->push_back(place->first);
  }
  return ok(204, nullptr);
}

}  // namespace ccm::digitalocean_api
