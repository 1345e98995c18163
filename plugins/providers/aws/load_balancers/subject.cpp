#include "subject.hpp"

#include <ccm/hexadecimal.hpp>

#include <algorithm>
#include <string_view>

namespace ccm::aws {

std::vector<std::string> client_ranges(const LoadBalancerService& service, bool dual_stack) {
  if (!service.source_ranges.empty()) return service.source_ranges;
  if (dual_stack) return {"0.0.0.0/0", "::/0"};
  return {"0.0.0.0/0"};
}

Tags group_tags(const Subject& subject, const Cluster& cluster) {
  Tags tags = subject.options.tags;
  if (cluster.legacy_tag) tags[std::string(kLegacyClusterTag)] = cluster.id;
  tags[cluster.tag()] = kOwned;
  return tags;
}

Tags resource_tags(const Subject& subject, const Cluster& cluster) {
  Tags tags = group_tags(subject, cluster);
  tags[std::string(kServiceTag)] = service_key(subject.service);
  if (subject.name != subject.mark) tags[std::string(kServiceUidTag)] = subject.service.uid;
  return tags;
}

Status note_options(const Crypto& crypto, Subject& subject, std::string_view wish) {
  constexpr std::string_view kForm = "1";  // another one when other options count
  constexpr std::size_t kDigits = 32;
  std::string& recorded = subject.recorded_options;
  recorded = Annotations(subject.service.object).text_or_empty(kAppliedOptions);
  if (!wish.empty() || !recorded.empty()) {
    const auto digest = crypto.sha256(wish);
    if (!digest.ok()) return digest.status();
    subject.applied_options = std::string(kForm) + "-" + hexadecimal(*digest).substr(0, kDigits);
  }
  subject.glance = subject.glance && recorded == subject.applied_options;
  return {};
}

bool owns_option(Subject& subject, std::string_view word, bool now) {
  const auto recorded = Annotations(subject.service.object).list(kOwnOptions);
  if (!now && std::find(recorded.begin(), recorded.end(), word) == recorded.end()) return false;
  subject.own_options += (subject.own_options.empty() ? "" : ",") + std::string(word);
  return true;
}

void tell_of_scheme(Subject& subject, bool internal) {
  if (internal == subject.options.internal) return;
  subject.add_problem(
      "SchemeNotFollowed",
      internal
          ? "a load balancer stays internal: another Service gets one that is not"
          : "a load balancer stays open to the internet: another Service gets one that is not");
}

void tell_of_health_port(Subject& subject) {
  if (subject.options.own_health_port) return;
  subject.add_problem(
      "HealthCheckPortNotOpened",
      "healthcheck-port " + subject.options.health.port +
          " is no node port of the Service: the Nodes' security groups are not opened for it");
}

bool may_be_own(const SecurityGroup& group, const Cluster& cluster) {
  if (group.tags.contains(cluster.tag())) return true;
  const auto legacy = group.tags.find(kLegacyClusterTag);
  if (legacy != group.tags.end()) return legacy->second == cluster.id;
  const auto first = group.tags.lower_bound(std::string(kClusterTagPrefix));
  return first == group.tags.end() || !first->first.starts_with(kClusterTagPrefix);
}

const SecurityGroup* own_group(const SecurityGroups& groups, const std::string& name,
                               const Cluster& cluster) {
  for (const auto& [id, group] : groups) {
    if (group.name == name && may_be_own(group, cluster)) return &group;
  }
  return nullptr;
}

Status check_own_name(const SecurityGroups& groups, const std::string& name,
                      const Cluster& cluster) {
  for (const auto& [id, group] : groups) {
    if (group.name != name || may_be_own(group, cluster)) continue;
    return Status(Code::failed_precondition,
                  "security group " + id + " has the name " + name + " and is another cluster's")
        .with_reason("NotOwned");
  }
  return {};
}

void Subject::add_problem(std::string_view reason, std::string_view text) {
  problems.push_back({std::string(reason), std::string(text)});
}

bool too_many_rules(const Subject& subject) {
  constexpr size_t kMostRules = 1'000;  // whatever the account's quota
  return subject.service.ports.size() * subject.clients.size() > kMostRules;
}

void tell_of_kept_groups(Subject& subject, const Status& refused) {
  subject.add_problem("SecurityGroupsNotFollowed",
                      "the load balancer keeps its security groups: " + refused.message());
}

Status check_groups(const SecurityGroups& groups, const std::vector<std::string>& ids,
                    const std::vector<std::string>& has) {
  constexpr std::string_view kClassicName = "k8s-elb-";
  for (const std::string& id : ids) {
    const auto group = groups.find(id);
    if (group == groups.end()) {
      return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                    "security group " + id + " is not in the cluster's VPC");
    }
    const std::string_view name = group->second.name;
    const bool classic =
        name.starts_with(kClassicName) && is_made_name(name.substr(kClassicName.size()));
    if (!classic && group->second.description != kManagedGroupDescription) continue;
    if (std::find(has.begin(), has.end(), id) != has.end()) continue;
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "security group " + id +
                      " was made for one Service, which could not be deleted while another Service "
                      "uses its group");
  }
  return {};
}

}  // namespace ccm::aws
