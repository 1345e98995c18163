#include "subnets.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace ccm::aws {
namespace {

constexpr std::string_view kRole = "kubernetes.io/role/elb";
constexpr std::string_view kInternalRole = "kubernetes.io/role/internal-elb";

Status wrong_subnets(std::string why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(why));
}

bool of_other_cluster(const Subnet& subnet, const std::string& cluster_tag) {
  if (subnet.tags.contains(cluster_tag)) return false;
  const auto first = subnet.tags.lower_bound(std::string(kClusterTagPrefix));
  return first != subnet.tags.end() && first->first.starts_with(kClusterTagPrefix);
}

// Whether its table leads to the internet, by subnet (AWS-77).
struct Publicity {
  std::map<std::string_view, bool> associated;
  std::optional<bool> others;

  explicit Publicity(const Network& network) {
    for (const RouteTable& table : network.tables) {
      for (const std::string& subnet : table.subnets) associated[subnet] = table.to_internet;
      if (table.main) others = table.to_internet;
    }
  }
  [[nodiscard]] std::optional<bool> of(const Subnet& subnet) const {
    const auto found = associated.find(subnet.id);
    return found != associated.end() ? std::optional(found->second) : others;
  }
};

bool in_usual_zone(const Network& network, const Subnet& subnet) {
  const auto type = network.zone_types.find(subnet.zone);
  return type == network.zone_types.end() || type->second == "availability-zone";
}

// AWS-78.
bool better(const Subnet& subnet, const Subnet& other, const SubnetWish& wish) {
  const std::string role(wish.internal ? kInternalRole : kRole);
  for (const std::string& tag : {role, wish.cluster_tag}) {
    const bool first = subnet.tags.contains(tag);
    if (first != other.tags.contains(tag)) return first;
  }
  return subnet.id < other.id;
}

Result<std::vector<const Subnet*>> candidates(const Network& network, const SubnetWish& wish) {
  std::vector<const Subnet*> all;
  for (const Subnet& subnet : network.subnets) {
    if (!of_other_cluster(subnet, wish.cluster_tag)) all.push_back(&subnet);
  }
  if (all.empty()) {
    for (const Subnet& subnet : network.subnets) {
      if (subnet.id == wish.fallback) all.push_back(&subnet);
    }
  }
  if (wish.internal) return all;
  const Publicity publicity(network);
  std::vector<const Subnet*> open;
  for (const Subnet* subnet : all) {
    const auto is_public = publicity.of(*subnet);
    if (!is_public) {
      return Status(Code::failed_precondition, "could not find the route table of " + subnet->id);
    }
    if (*is_public) open.push_back(subnet);
  }
  return open;
}

Result<std::vector<Subnet>> chosen_by_zone(const Network& network, const SubnetWish& wish) {
  const auto all = candidates(network, wish);
  if (!all.ok()) return all.status();
  std::map<std::string_view, const Subnet*> best;
  for (const Subnet* subnet : *all) {
    if (!in_usual_zone(network, *subnet)) continue;
    const auto [place, first] = best.try_emplace(subnet->zone, subnet);
    if (!first && better(*subnet, *place->second, wish)) place->second = subnet;
  }
  std::vector<Subnet> chosen;
  for (const auto& [zone, subnet] : best) chosen.push_back(*subnet);
  if (!chosen.empty()) return chosen;
  return Status(Code::failed_precondition,
                "could not find any suitable subnets for creating the ELB");
}

// By id, or by the tag Name where it is one subnet's alone.
std::multimap<std::string_view, const Subnet*> by_name(const Network& network) {
  std::multimap<std::string_view, const Subnet*> names;
  for (const Subnet& subnet : network.subnets) {
    names.emplace(subnet.id, &subnet);
    const auto name = subnet.tags.find("Name");
    if (name != subnet.tags.end() && !name->second.starts_with("subnet-")) {
      names.emplace(name->second, &subnet);
    }
  }
  return names;
}

Result<std::vector<Subnet>> chosen_by_name(const Network& network, const SubnetWish& wish) {
  const auto names = by_name(network);
  std::vector<Subnet> chosen;
  std::set<std::string_view> taken;
  for (const std::string& name : wish.named) {
    const auto [first, last] = names.equal_range(name);
    for (auto place = first; place != last; ++place) {
      if (taken.insert(place->second->id).second) chosen.push_back(*place->second);
    }
  }
  if (chosen.size() == wish.named.size()) return chosen;
  return wrong_subnets("expected to find " + std::to_string(wish.named.size()) + ", but found " +
                       std::to_string(chosen.size()) + " subnets");
}

Status check_chosen(const std::vector<Subnet>& chosen, const SubnetWish& wish) {
  std::map<std::string_view, const Subnet*> zones;
  for (const Subnet& subnet : chosen) {
    const auto [place, first] = zones.try_emplace(subnet.zone, &subnet);
    if (!first) {
      return wrong_subnets("subnets " + place->second->id + " and " + subnet.id +
                           " are both in zone " + subnet.zone);
    }
    if (wish.dual_stack && subnet.ipv6_cidr.empty()) {
      return wrong_subnets("subnet " + subnet.id +
                           " has no range of IPv6, which a dual-stack load "
                           "balancer needs");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Subnet>> choose_subnets(const Network& network, const SubnetWish& wish) {
  auto chosen = wish.named.empty() ? chosen_by_zone(network, wish) : chosen_by_name(network, wish);
  if (!chosen.ok()) return chosen;
  if (Status fits = check_chosen(*chosen, wish); !fits.ok()) return fits;
  return chosen;
}

std::vector<Subnet> subnets_with_ids(const Network& network, const std::vector<std::string>& ids) {
  const std::set<std::string_view> wanted(ids.begin(), ids.end());
  std::vector<Subnet> found;
  std::copy_if(network.subnets.begin(), network.subnets.end(), std::back_inserter(found),
               [&](const Subnet& subnet) { return wanted.contains(subnet.id); });
  return found;
}

}  // namespace ccm::aws
