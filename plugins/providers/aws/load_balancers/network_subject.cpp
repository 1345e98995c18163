#include "network_subject.hpp"

#include <utility>

namespace ccm::aws {
namespace {

const Tags& default_attributes() {
  static const Tags defaults{{"access_logs.s3.enabled", "false"},
                             {"deletion_protection.enabled", "false"},
                             {"load_balancing.cross_zone.enabled", "false"},
                             {"zonal_shift.config.enabled", "false"}};
  return defaults;
}

NodeAccess access_of(const NetworkSubject& subject) {
  const auto listeners = wanted_of(subject);
  NodeAccess access;
  access.mark = subject.mark;
  access.others = subject.others;
  const bool ranges = !subject.service.source_ranges.empty();  // nobody else sees to these
  const bool hidden = subject.own_groups.empty() && subject.managed_group.empty() &&
                      hides_clients(subject, subject.balancer.dual_stack && !subject.leaves_ipv6);
  const Rules by_port =
      node_rules(listeners, subject.mark, subject.clients, subject.subnets, hidden);
  if (!subject.own_groups.empty() && !ranges) {
    access.wanted = node_rules_from(subject.own_groups.front(), listeners, subject.mark);
    access.also_right = by_port;
  } else if (subject.own_groups.empty() && !subject.managed_id.empty()) {
    // One rule in place of ports times ranges (AWS-111): nobody else is a member of that group.
    allow_group(access.wanted, subject.managed_id, std::string(kClientRule) + subject.mark);
    access.also_right = by_port;
  } else {
    access.wanted = by_port;
  }
  return access;
}

}  // namespace

Tags different(const Tags& wanted, const Tags& existing) {
  Tags out;
  for (const auto& [key, value] : wanted) {
    const auto found = existing.find(key);
    if ((found == existing.end() ? std::string() : found->second) != value) out[key] = value;
  }
  return out;
}

Tags new_attributes(const NetworkSubject& subject) {
  return different(subject.options.attributes, default_attributes());
}

Tags new_group_attributes(const NetworkSubject& subject) {
  static const Tags defaults{{"preserve_client_ip.enabled", "true"},
                             {"proxy_protocol_v2.enabled", "false"}};
  return different(subject.options.group_attributes, defaults);
}

std::vector<WantedListener> wanted_of(const NetworkSubject& subject) {
  std::vector<WantedListener> out;
  out.reserve(subject.ports.size());
  for (const NetworkSubject::Port& port : subject.ports) out.push_back(port.wanted);
  return out;
}

bool hides_clients(const NetworkSubject& subject, bool dual_stack) {
  const Tags& attributes = subject.options.group_attributes;
  const auto kept = attributes.find("preserve_client_ip.enabled");
  return !subject.service.source_ranges.empty() &&
         (dual_stack || (kept != attributes.end() && kept->second == "false"));
}

std::vector<RuleChange> node_changes_of(NetworkSubject& subject, const SecurityGroups& groups,
                                        const Cluster& cluster) {
  std::vector<Problem> problems;
  const auto chosen = node_group_ids(subject.targets.groups, groups, cluster, problems);
  for (Problem& problem : problems) subject.problems.push_back(std::move(problem));
  return node_changes(access_of(subject), chosen, groups);
}

}  // namespace ccm::aws
