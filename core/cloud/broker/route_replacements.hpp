// The removals of an apply of routes that are replacements, and so no absences for the brake.
#pragma once

#include <ccm/route.hpp>

#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ccm::plugin {

// Borrows from the routes that it was made of.
class Replacements {
 public:
  Replacements(const std::vector<Route>& removals, const std::vector<Route>& additions,
               const std::vector<Route>& owned) {
    for (const Route& route : additions) {
      destinations_.insert(route.destination_cidr);
      targets_.insert(route.target_node);
    }
    std::set<std::pair<std::string_view, std::string_view>> removed;
    for (const Route& route : removals) removed.emplace(route.id, route.destination_cidr);
    for (const Route& route : owned) {
      if (route.blackhole || removed.contains({route.id, route.destination_cidr})) continue;
      destinations_.insert(route.destination_cidr);
    }
  }

  // Its destination stays routed, or its Node gets another route.
  [[nodiscard]] bool of(const Route& route) const {
    return destinations_.contains(route.destination_cidr) ||
           (!route.target_node.empty() && targets_.contains(route.target_node));
  }

 private:
  std::unordered_set<std::string_view> destinations_;
  std::unordered_set<std::string_view> targets_;
};

}  // namespace ccm::plugin
