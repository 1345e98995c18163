#include "targets.hpp"

#include <algorithm>

namespace ccm::aws {
namespace {

std::string shown_labels(const KeyValues& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    text += (text.empty() ? "" : ",") + key + (value.empty() ? "" : "=" + value);
  }
  return text;
}

bool is_ours(const Ec2Instance& instance, const Cluster& cluster) {
  const bool tagged =
      instance.tag(cluster.tag()) != nullptr || (instance.tag(kLegacyClusterTag) != nullptr &&
                                                 *instance.tag(kLegacyClusterTag) == cluster.id);
  return tagged && instance.vpc_id == cluster.vpc_id && instance.state != "terminated";
}

}  // namespace

bool Targets::keeps(const std::string& id) const {
  return others.contains(id) || std::binary_search(running.begin(), running.end(), id);
}

std::string_view instance_id(std::string_view provider_id) {
  const std::size_t slash = provider_id.rfind('/');
  if (slash != std::string_view::npos) provider_id.remove_prefix(slash + 1);
  return provider_id.starts_with("i-") ? provider_id : std::string_view();
}

bool has_labels(const Backend& backend, const KeyValues& labels) {
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    const auto found = backend.node.at("/metadata/labels" + pointer_segment(label.first)).text();
    return found && (label.second.empty() || *found == label.second);
  });
}

std::vector<std::string> wanted_instances(const Backends& backends, const KeyValues& labels) {
  std::set<std::string> ids;
  for (const Backend& backend : backends) {
    const std::string_view id = instance_id(backend.provider_id);
    if (!id.empty() && has_labels(backend, labels)) ids.emplace(id);
  }
  return {ids.begin(), ids.end()};
}

Targets targets_of(const Backends& backends, const KeyValues& labels, const InstanceMap& instances,
                   const Cluster& cluster) {
  Targets out;
  std::set<std::vector<std::string>> groups;
  const auto ids = wanted_instances(backends, labels);
  for (const std::string& id : ids) {
    const auto found = instances.find(id);
    if (found == instances.end() || !is_ours(found->second, cluster)) continue;
    const Ec2Instance& instance = found->second;
    if (instance.state == "running") {
      out.running.push_back(id);
    } else {
      out.others.insert(id);
    }
    out.zones.insert(instance.zone);
    groups.insert(instance.security_groups);
  }
  out.groups = {groups.begin(), groups.end()};
  if (backends.empty() || !out.running.empty() || !out.others.empty()) return out;
  out.no_members = !ids.empty()     ? "none of their instances is known to AWS as this cluster's"
                   : labels.empty() ? "no Node has an instance"
                                    : "no Node has the labels " + shown_labels(labels);
  return out;
}

}  // namespace ccm::aws
