#include "node_search.hpp"

#include "instance_view.hpp"
#include "provider_id.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::aws {
namespace {

constexpr size_t kMostAddresses = 8;  // of a Node

using Values = std::vector<std::string>;

bool fits_no_domain(const Ec2Instance& instance, const std::string& name) {
  const std::string& dns = instance.private_dns_name;
  return dns == name ||
         (dns.size() > name.size() && dns.starts_with(name) && dns[name.size()] == '.');
}

bool has_private_address(const Ec2Instance& instance, const std::string& address) {
  return std::any_of(instance.cards.begin(), instance.cards.end(), [&](const NetworkCard& card) {
    const Values& all = card.private_addresses;
    return std::find(all.begin(), all.end(), address) != all.end();
  });
}

// Without wildcards and blanks, which a filter would take for more than a name.
bool is_plain(const std::string& text) {
  return !text.empty() && text.find_first_of("*?\\ ") == std::string::npos;
}

Values internal_addresses(const NodeIdentity& node) {
  Values addresses;
  node.node.at("/status/addresses").each([&](std::string_view, const Value& address) {
    if (address.text("/type") != "InternalIP" || addresses.size() == kMostAddresses) return true;
    std::string value = ipv4_address(address.text("/address"));
    if (!value.empty()) addresses.push_back(std::move(value));
    return true;
  });
  return addresses;
}

// As judge_claims() has it: the cloud's name of an instance is what no kubelet chooses, and its
// provider ID is.
bool is_called(const std::string& node, const Ec2Instance& instance) {
  return node == instance.private_dns_name || node.substr(0, node.find('.')) == instance.id;
}

Values plain_name(const NodeIdentity& node) {
  return is_plain(node.name) ? Values{node.name} : Values{};
}

}  // namespace

const char* name_of(FoundBy rule) {
  switch (rule) {
    case FoundBy::instance_id:
      return "its id in the Node's name";
    case FoundBy::private_dns_name:
      return "its private DNS name";
    case FoundBy::private_host_name:
      return "its private DNS name without the domain";
    case FoundBy::internal_ip:
      return "the Node's InternalIP";
    case FoundBy::name_tag:
      return "its tag Name";
  }
  return "";
}

std::vector<NodeSearch::Rule> NodeSearch::rules() {
  return {
      {FoundBy::instance_id, "instance-id",
       [](const NodeIdentity& node) {
         const std::string id = node.name.substr(0, node.name.find('.'));
         return is_instance_id(id) ? Values{id} : Values{};
       },
       [](const Ec2Instance& instance, const std::string& id) { return instance.id == id; }},
      {FoundBy::private_dns_name, "private-dns-name", &plain_name,
       [](const Ec2Instance& instance, const std::string& name) {
         return instance.private_dns_name == name;
       }},
      {FoundBy::private_host_name, "private-dns-name",
       [](const NodeIdentity& node) {
         const std::string host = node.name.substr(0, node.name.find('.'));
         return is_plain(host) && host.starts_with("ip-") ? Values{host + ".*"} : Values{};
       },
       [](const Ec2Instance& instance, const std::string& value) {
         return fits_no_domain(instance, value.substr(0, value.size() - 2));
       }},
      {FoundBy::internal_ip, "private-ip-address", &internal_addresses, &has_private_address},
      {FoundBy::name_tag, "tag:Name", &plain_name,
       [](const Ec2Instance& instance, const std::string& name) {
         const std::string* tag = instance.tag("Name");
         return tag != nullptr && *tag == name;
       }},
  };
}

Task<Result<FoundInstances>> NodeSearch::find(Ctx ctx, std::vector<NodeIdentity> nodes) {
  FoundInstances found;
  for (const Rule& rule : rules()) {
    Status status = co_await apply(ctx, rule, nodes, found);
    if (!status.ok()) co_return status;
  }
  const auto lost = settle(found);
  tell(nodes, found, lost);
  co_return found;
}

std::map<std::string, std::string> NodeSearch::settle(FoundInstances& found) {
  Claims::Holders shortest;  // by instance
  Claims::Holders named;     // the shortest of those that are called as it
  const auto shorten = [](std::string& best, const std::string& name) {
    if (best.empty() || name.size() < best.size()) best = name;
  };
  for (const auto& [name, match] : found.by_name) {
    shorten(shortest[match.instance.id], name);
    if (is_called(name, match.instance)) shorten(named[match.instance.id], name);
  }
  const Claims::Holders holders = claims_.holders(shortest);
  std::map<std::string, std::string> lost;
  for (const auto& [name, match] : found.by_name) {
    const std::string& id = match.instance.id;
    const auto holder = holders.find(id);
    const auto called = named.find(id);
    const bool held = holder != holders.end() &&
                      (called == named.end() || is_called(holder->second, match.instance));
    const std::string& right = held                    ? holder->second
                               : called != named.end() ? called->second
                                                       : shortest[id];
    if (right == name) {
      claims_.hold(id, name);
    } else {
      lost[name] = "Node " + right + " has instance " + id;
    }
  }
  for (const auto& [name, why] : lost) {
    found.by_name.erase(name);
    found.unclear.insert(name);
  }
  return lost;
}

Task<Status> NodeSearch::apply(Ctx ctx, const Rule& rule, const std::vector<NodeIdentity>& nodes,
                               FoundInstances& found) {
  std::set<std::string> asked;
  for (const NodeIdentity& node : nodes) {
    if (found.by_name.contains(node.name)) continue;
    for (std::string& value : rule.values(node)) asked.insert(std::move(value));
  }
  InstanceMap instances;
  const Values values(asked.begin(), asked.end());
  for (size_t begin = 0; begin < values.size(); begin += kFilterValues) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
    const size_t count = std::min(kFilterValues, values.size() - begin);
    Params filters;
    filters.filter(rule.filter, Values(first, first + static_cast<std::ptrdiff_t>(count)));
    filters.filter("instance-state-name",
                   Values{"pending", "running", "shutting-down", "stopping", "stopped"});
    if (rule.by != FoundBy::instance_id) filters.filter("vpc-id", cluster_.vpc_id);
    auto some = co_await instances_.matching(ctx, std::move(filters));
    if (!some.ok()) co_return some.status();
    instances.merge(*some);
  }
  for (const NodeIdentity& node : nodes) {
    if (!found.by_name.contains(node.name)) take(rule, node, instances, found);
  }
  co_return Status();
}

void NodeSearch::take(const Rule& rule, const NodeIdentity& node, const InstanceMap& instances,
                      FoundInstances& found) const {
  const Values values = rule.values(node);
  const Ec2Instance* only = nullptr;
  for (const auto& [id, instance] : instances) {
    const bool fits = std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return rule.fits(instance, value);
    });
    const bool ours = rule.by == FoundBy::instance_id || is_of_cluster(instance, cluster_);
    if (!fits || !ours) continue;
    if (only != nullptr) {
      found.unclear.insert(node.name);
      return;
    }
    only = &instance;
  }
  if (only == nullptr) return;
  found.by_name[node.name] = {*only, rule.by};
  found.unclear.erase(node.name);
}

void NodeSearch::tell(const std::vector<NodeIdentity>& nodes, const FoundInstances& found,
                      const std::map<std::string, std::string>& lost) const {
  for (const NodeIdentity& node : nodes) {
    if (!node.node) continue;
    if (const auto why = lost.find(node.name); why != lost.end()) {
      host_.events.warning(node.node, "InstanceTaken", why->second);
      continue;
    }
    const auto place = found.by_name.find(node.name);
    if (place == found.by_name.end()) {
      host_.events.warning(node.node, "InstanceNotFound",
                           "No instance with the tag " + cluster_.tag() +
                               " was found by this Node's name as an instance id, private DNS name "
                               "or tag Name, nor by "
                               "its InternalIP in " +
                               cluster_.vpc_id);
    } else if (place->second.rule >= FoundBy::private_host_name) {
      host_.events.normal(
          node.node, "InstanceFound",
          "Instance " + place->second.instance.id + " was found by " + name_of(place->second.rule));
    }
  }
}

}  // namespace ccm::aws
