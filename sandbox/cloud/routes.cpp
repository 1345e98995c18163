#include "cloud/routes.hpp"

#include <algorithm>
#include <utility>

namespace sandbox::cloud {
namespace {

Json outcome(const char* code, const std::string& message = "") {
  Json result = {{"code", code}};
  if (!message.empty()) result["message"] = message;
  return result;
}

const Json& no_route() {
  static const Json route = {
      {"destination", ""}, {"machine_id", ""}, {"owner", ""}, {"node", ""}, {"name", ""}};
  return route;
}

bool text_members(const Json& given) {
  return given.is_object() && std::all_of(given.begin(), given.end(),
                                          [](const Json& value) { return value.is_string(); });
}

}  // namespace

Json Routes::list(const Machines& machines) const {
  Json result = Json::array();
  for (const auto& [id, route] : all_) {
    Json shown = route;
    shown["blackhole"] = !machines.contains(route["machine_id"].get<std::string>());
    result.push_back(std::move(shown));
  }
  return result;
}

Json Routes::remove(const Json& id) {
  if (!id.is_string()) return outcome("invalid", "an id has to be a string");
  if (all_.erase(id.get<std::string>()) == 0) {
    return outcome("not_found", "no route " + id.get<std::string>());
  }
  return outcome("ok");
}

Json Routes::add(const Json& given, const Machines& machines, const Settings& settings,
                 std::unordered_map<std::string, std::string>& taken) {
  if (!text_members(given)) return outcome("invalid", "a route has members of text");
  Json route = no_route();
  for (const auto& [member, value] : given.items()) {
    if (!route.contains(member)) return outcome("invalid", "unknown member " + member);
    route[member] = value;
  }
  const std::string destination = route["destination"];
  if (destination.find('/') == std::string::npos) {
    return outcome("invalid", "destination has to be a CIDR");
  }
  const std::string machine = route["machine_id"];
  if (!machines.contains(machine)) return outcome("no_machine", "no machine " + machine);
  if (const auto place = taken.find(destination); place != taken.end()) {
    return place->second == machine
               ? outcome("ok")
               : outcome("conflict", destination + " leads to another machine already");
  }
  if (settings.routes > 0 && all_.size() >= std::size_t(settings.routes)) {
    return outcome("quota",
                   "the table holds at most " + std::to_string(settings.routes) + " routes");
  }
  const std::string id = "r-" + std::to_string(next_++);
  route["id"] = id;
  taken.emplace(destination, machine);
  all_[id] = std::move(route);
  return outcome("ok");
}

Json Routes::apply(const Json& batch, const Machines& machines, const Settings& settings,
                   bool store) {
  const Json removals = batch.is_object() ? batch.value("remove", Json::array()) : Json();
  const Json additions = batch.is_object() ? batch.value("add", Json::array()) : Json();
  if (!removals.is_array() || !additions.is_array()) {
    throw CloudError{422, "invalid", "a batch has the lists remove and add"};
  }
  const std::size_t changes = removals.size() + additions.size();
  if (settings.batch > 0 && changes > std::size_t(settings.batch)) {
    throw CloudError{422, "invalid",
                     "a batch has at most " + std::to_string(settings.batch) + " changes"};
  }
  Json results = Json::array();
  if (!store) {
    for (std::size_t i = 0; i < changes; ++i) results.push_back(outcome("ok"));
    return results;
  }
  for (const Json& id : removals) results.push_back(remove(id));
  std::unordered_map<std::string, std::string> taken;  // destinations, with the machine
  for (const auto& [id, route] : all_) taken.emplace(route["destination"], route["machine_id"]);
  for (const Json& route : additions) results.push_back(add(route, machines, settings, taken));
  return results;
}

const Json& Routes::force(const std::string& id, const Json& members) {
  const auto [place, created] = all_.try_emplace(id, no_route());
  for (const auto& [member, value] : members.items()) place->second[member] = value;
  place->second["id"] = id;
  return place->second;
}

void Routes::clear() {
  all_.clear();
  next_ = 1;
}

}  // namespace sandbox::cloud
