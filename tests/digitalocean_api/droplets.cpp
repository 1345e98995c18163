#include "collections.hpp"

#include <algorithm>
#include <cctype>

namespace ccm::digitalocean_api {
namespace {

// The name filter does not mind case (DO-73).
bool same_name(const std::string& a, const std::string& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

}  // namespace

ApiAnswer answer_droplets(Account& account, const std::string& method, const Route& route) {
  if (method != "GET") return error(404, "no such resource");
  if (route.parts.size() == 3) {
    const auto place = account.droplets().find(std::stoll(route.parts[2]));
    if (place == account.droplets().end())
      return error(404, "The resource you requested could not be found.");
    return ok(200, {{"droplet", place->second}});
  }
  const auto name = route.query.find("name");
  const auto tag = route.query.find("tag_name");
  const auto type = route.query.find("type");
  if (tag != route.query.end() && (name != route.query.end() || type != route.query.end())) {
    return error(422, "tag_name excludes name and type");
  }
  const bool gpus = type != route.query.end() && type->second == "gpus";
  if (type != route.query.end() && !gpus && type->second != "droplets") {
    return error(422, "type must be droplets or gpus");
  }
  std::vector<const json*> items;
  for (const auto& [id, droplet] : account.droplets()) {
    const bool gpu = droplet.at("size_slug").get<std::string>().starts_with("gpu-");
    if (gpu != gpus) continue;
    if (name != route.query.end() && !same_name(droplet.at("name"), name->second)) continue;
    if (tag != route.query.end()) {
      const json& tags = droplet.at("tags");
      if (std::find(tags.begin(), tags.end(), json(tag->second)) == tags.end()) continue;
    }
    items.push_back(&droplet);
  }
  return page("droplets", items, route);
}

}  // namespace ccm::digitalocean_api
