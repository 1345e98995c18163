// The part of EC2 that load balancers need.
#include "load_balancing.hpp"

#include <algorithm>

namespace ccm::aws_api {
namespace {

std::string ec2_tags(const Tags& tags) {
  std::string out;
  for (const auto& [key, value] : tags) {
    out += tree("item", element("key", key) + element("value", value));
  }
  return tree("tagSet", out);
}

std::string permission_xml(const Permission& rule) {
  const std::string description = element("description", rule.description);
  std::string sources;
  if (rule.source.starts_with("sg-")) {
    sources = tree("groups", tree("item", element("groupId", rule.source) + description));
  } else if (rule.source.find(':') != std::string::npos) {
    sources = tree("ipv6Ranges", tree("item", element("cidrIpv6", rule.source) + description));
  } else {
    sources = tree("ipRanges", tree("item", element("cidrIp", rule.source) + description));
  }
  std::string ports;
  if (rule.protocol != "-1") ports = element("fromPort", rule.from) + element("toPort", rule.to);
  return tree("item", element("ipProtocol", rule.protocol) + ports + sources);
}

std::vector<Permission> read_permissions(const Form& form) {
  std::vector<Permission> out;
  for (const Form& permission : form.structures("IpPermissions")) {
    Permission rule;
    rule.protocol = permission.text("IpProtocol");
    if (permission.has("FromPort")) {
      rule.from = permission.number("FromPort");
      rule.to = permission.number("ToPort");
    }
    for (const auto& [list, member] :
         {std::pair{"IpRanges", "CidrIp"}, {"Ipv6Ranges", "CidrIpv6"}, {"Groups", "GroupId"}}) {
      for (const Form& source : permission.structures(list)) {
        rule.source = source.text(member);
        rule.description = source.text("Description");
        out.push_back(rule);
      }
    }
  }
  return out;
}

}  // namespace

LoadBalancing::Outcome LoadBalancing::change_rules(const Form& form, bool add) {
  const auto found = groups.find(form.text("GroupId"));
  if (found == groups.end()) return Error{400, "InvalidGroup.NotFound", "no such group"};
  Group changed = found->second;
  for (const Permission& rule : read_permissions(form)) {
    const bool v6_in_v4 = rule.source.find(':') != std::string::npos && rule.protocol == "icmp";
    if (v6_in_v4 || (rule.protocol != "tcp" && rule.protocol != "udp" && rule.protocol != "icmp" &&
                     rule.protocol != "icmpv6" && rule.protocol != "-1")) {
      return Error{400, "InvalidParameterValue", "invalid protocol " + rule.protocol};
    }
    const bool done =
        add ? changed.rules.emplace(rule.key(), rule).second : changed.rules.erase(rule.key()) > 0;
    if (!done) {
      return Error{400, add ? "InvalidPermission.Duplicate" : "InvalidPermission.NotFound",
                   rule.key()};
    }
  }
  if (changed.rules.size() > most_rules) {
    return Error{400, "RulesPerSecurityGroupLimitExceeded",
                 "The maximum number of rules per security group has been reached."};
  }
  found->second = std::move(changed);
  return element("return", "true");
}

void LoadBalancing::add_ec2_actions() {
  const std::string api = "ec2";
  add(api, "DescribeSecurityGroups", [this](const Form&) -> Outcome {
    std::string all;
    for (const auto& [id, group] : groups) {
      std::string rules;
      for (const auto& [key, rule] : group.rules) rules += permission_xml(rule);
      all += tree("item", element("groupId", id) + element("groupName", group.name) +
                              element("groupDescription", group.description) +
                              element("vpcId", "vpc-1") + ec2_tags(group.tags) +
                              tree("ipPermissions", rules));
    }
    return tree("securityGroupInfo", all);
  });
  add(api, "CreateSecurityGroup", [this](const Form& form) -> Outcome {
    for (const auto& [id, group] : groups) {
      if (group.name == form.text("GroupName")) return Error{400, "InvalidGroup.Duplicate", id};
    }
    Group made{form.text("GroupName"), form.text("GroupDescription"), {}, {}};
    for (const Form& specification : form.structures("TagSpecification")) {
      for (const Form& tag : specification.structures("Tag")) {
        made.tags[tag.text("Key")] = tag.text("Value");
      }
    }
    const std::string id = new_id("sg-");
    groups[id] = made;
    return element("groupId", id);
  });
  add(api, "DeleteSecurityGroup", [this](const Form& form) -> Outcome {
    const std::string id = form.text("GroupId");
    if (!groups.contains(id)) return Error{400, "InvalidGroup.NotFound", id};
    bool used = groups_in_use.contains(id);
    for (const auto& [arn, network] : networks) {
      used = used || std::count(network.groups.begin(), network.groups.end(), id) > 0;
    }
    for (const auto& [name, classic] : classics) {
      used = used || std::count(classic.groups.begin(), classic.groups.end(), id) > 0;
    }
    for (const auto& [other, group] : groups) {
      for (const auto& [key, rule] : group.rules) used = used || (rule.source == id && other != id);
    }
    if (used)
      return Error{400, "DependencyViolation", "resource " + id + " has a dependent object"};
    groups.erase(id);
    return element("return", "true");
  });
  add(api, "AuthorizeSecurityGroupIngress",
      [this](const Form& form) { return change_rules(form, true); });
  add(api, "RevokeSecurityGroupIngress",
      [this](const Form& form) { return change_rules(form, false); });
  add(api, "CreateTags", [this](const Form& form) -> Outcome {
    for (const std::string& id : form.list("ResourceId")) {
      for (const Form& tag : form.structures("Tag")) {
        groups[id].tags[tag.text("Key")] = tag.text("Value");
      }
    }
    return element("return", "true");
  });
  add(api, "DescribeSubnets", [this](const Form&) -> Outcome {
    std::string all;
    for (const auto& [id, subnet] : subnets) {
      std::string v6;
      if (!subnet.ipv6_cidr.empty()) {
        v6 =
            tree("ipv6CidrBlockAssociationSet",
                 tree("item", element("ipv6CidrBlock", subnet.ipv6_cidr) +
                                  tree("ipv6CidrBlockState", element("state", subnet.ipv6_state))));
      }
      all += tree("item", element("subnetId", id) + element("availabilityZone", subnet.zone) +
                              element("cidrBlock", subnet.cidr) + v6 + ec2_tags(subnet.tags));
    }
    return tree("subnetSet", all);
  });
  add(api, "DescribeRouteTables", [this](const Form&) -> Outcome {
    std::string open;
    for (const auto& [id, subnet] : subnets) {
      if (subnet.is_public) open += tree("item", element("subnetId", id));
    }
    const std::string gateway = tree(
        "routeSet",
        tree("item", element("gatewayId", "igw-1") + element("destinationCidrBlock", "0.0.0.0/0")));
    return tree("routeTableSet",
                tree("item", tree("associationSet", open) + gateway) +
                    tree("item", tree("associationSet", tree("item", element("main", "true")))));
  });
  add(api, "DescribeAvailabilityZones", [this](const Form&) -> Outcome {
    std::string all;
    std::set<std::string> zones;
    for (const auto& [id, subnet] : subnets) zones.insert(subnet.zone);
    for (const std::string& zone : zones) {
      const bool local = zone.find("-bos-") != std::string::npos;
      all += tree("item", element("zoneName", zone) +
                              element("zoneType", local ? "local-zone" : "availability-zone"));
    }
    return tree("availabilityZoneInfo", all);
  });
  add(api, "DescribeInstances", [this](const Form& form) -> Outcome {
    const auto ids = form.filter("instance-id");
    std::string all;
    for (const auto& [id, instance] : instances) {
      if (!ids.empty() && std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
      std::string in;
      for (const std::string& group : instance.groups) {
        in += tree("item", element("groupId", group));
      }
      all +=
          tree("item",
               element("instanceId", id) + tree("instanceState", element("name", instance.state)) +
                   tree("placement", element("availabilityZone", instance.zone)) +
                   element("vpcId", "vpc-1") + tree("groupSet", in) + ec2_tags(instance.tags));
    }
    return tree("reservationSet", tree("item", tree("instancesSet", all)));
  });
}

}  // namespace ccm::aws_api
