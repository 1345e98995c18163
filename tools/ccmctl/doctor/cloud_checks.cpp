#include "cloud_checks.hpp"

#include "ccmctl/manager/object_text.hpp"
#include "ccmctl/output.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::json;

constexpr const char* kDefaultClusterName = "kubernetes";

bool exposes_node_ports(const json& service) {
  const json& spec = part(service, "spec");
  if (member(spec, "type") != "LoadBalancer") return false;
  const json& ports = part(spec, "ports");
  return std::any_of(ports.begin(), ports.end(), [](const json& port) {
    const std::string node_port = member(port, "nodePort");
    return !node_port.empty() && node_port != "0";
  });
}

// "shop 3, blog 1"; the largest first.
std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (const auto& [name, count] : sorted) texts.push_back(name + " " + std::to_string(count));
  return some_of(texts);
}

}  // namespace

Finding check_cloud_failure(const Status& status) {
  std::string advice = "see the credential, the configuration and the address of the cloud";
  if (status.reason() == "credential-refused") {
    advice =
        "give the manager a credential that is valid and has the rights that its provider needs, "
        "and see that its clock is right";
  } else if (status.reason() == "no-answer") {
    advice =
        "see the address in the configuration, names, routes, proxies and firewalls between this "
        "machine and the cloud, and the cloud's status page";
  } else if (status.reason() == "server-errors") {
    advice = "see the cloud's status page; the manager tries again by itself";
  } else if (status.reason() == "rate-limited") {
    advice = "see who else uses the credential, and give the manager one of its own";
  }
  return {"cloud", Health::problem, status.message(), std::move(advice)};
}

Finding check_cloud_speed(const std::string& slowness) {
  Finding finding{"cloud", Health::ok, "the log-in and listings work", {}};
  if (slowness.empty()) return finding;
  finding.result = Health::warning;
  finding.text += ", but " + slowness;
  finding.advice =
      "see the cloud's status page, and names, routes and proxies between this machine and the "
      "cloud; Nodes and Services get done, later";
  return finding;
}

Finding check_machines(const json& nodes, const std::vector<std::string>& asked,
                       const std::vector<std::string>& missing) {
  Finding finding{"machines", Health::ok, {}, {}};
  if (missing.empty()) {
    finding.text = "the cloud lists instances, and those of " + counted(asked.size(), "Node");
    return finding;
  }
  if (missing.size() == asked.size()) {
    finding.result = Health::problem;
    finding.text = "the cloud lists the instance of none of " + counted(asked.size(), "Node");
    finding.advice =
        "see whether the credential is of this cluster's account, project and region, and may "
        "read instances";
    return finding;
  }
  std::vector<std::string> names;
  for (const json& node : nodes) {
    const std::string id = member(part(node, "spec"), "providerID");
    if (std::find(missing.begin(), missing.end(), id) != missing.end()) {
      names.push_back(member(part(node, "metadata"), "name"));
    }
  }
  finding.result = Health::warning;
  finding.text =
      "the cloud has no instance for " + counted(names.size(), "Node") + ": " + some_of(names);
  finding.advice = "`ccmctl explain node/" + names.front() +
                   "` says why the manager has not deleted it, which it does when a Node is not "
                   "Ready";
  return finding;
}

Finding check_cloud_permissions(const CloudPermissions& permissions, const Status& trial) {
  Finding finding{"cloud-permissions", Health::ok, {}, {}};
  if (!trial.ok()) {
    finding.result = Health::problem;
    finding.text = trial.message();
    finding.advice = "`ccmctl permissions` with the same flags prints all that it needs";
    return finding;
  }
  finding.text = "the credential has what `ccmctl permissions` prints";
  if (!permissions.not_tried.empty()) finding.text += "; not tried: " + permissions.not_tried;
  return finding;
}

Finding check_cluster_name(const std::vector<OwnedObject>& objects,
                           const std::string& cluster_name) {
  Finding finding{"cluster-name", Health::ok, {}, {}};
  const auto by_name =
      std::count_if(objects.begin(), objects.end(),
                    [&](const OwnedObject& object) { return object.cluster == cluster_name; });
  if (cluster_name != kDefaultClusterName || by_name == 0) {
    finding.text = "marks in the cloud tell this cluster from others";
    return finding;
  }
  finding.result = Health::warning;
  finding.text = "--cluster-name is \"" + cluster_name + "\", its default, and the marks of " +
                 counted(static_cast<std::size_t>(by_name), "object") +
                 " name the cluster by it alone: those of another cluster with the default look "
                 "the same";
  finding.advice =
      "give each cluster of an account or project a --cluster-name of its own; remove nothing by "
      "this name while there may be several";
  return finding;
}

Finding check_orphans(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster) {
  std::size_t orphans = 0;
  std::size_t unclear = 0;
  std::map<std::string, std::size_t> by_namespace;
  for (const OwnedObject& object : objects) {
    if (is_needed(object, cluster)) continue;
    const bool certain = !object.no_cluster && !object.shared;
    ++(certain ? orphans : unclear);
    const std::string space = namespace_of(object);
    if (certain && !space.empty()) ++by_namespace[space];
  }
  Finding finding{"orphans", Health::ok, "nothing of this cluster is left over in the cloud", {}};
  if (orphans > 0) {
    finding.result = Health::warning;
    finding.text =
        counted(orphans, "object") + " of this cluster in the cloud is needed by nothing";
    if (!by_namespace.empty()) finding.text += "; of namespaces: " + counts_text(by_namespace);
    finding.advice =
        "`ccmctl orphans` with the same flags lists them; `ccmctl cleanup --kubeconfig=FILE` asks, "
        "and removes those that this cluster does not need. A Service leaves them by "
        "retain-load-balancer and such annotations, which --load-balancer-retention-namespaces "
        "limits, or when its finalizer is taken away while no manager runs";
  } else if (unclear > 0) {
    finding.text += "; of " + counted(unclear, "object") + " it cannot be told";
  }
  return finding;
}

Finding check_doubled(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster) {
  Finding finding{"doubled-load-balancers", Health::ok, "no Service has two load balancers", {}};
  const auto doubled = doubled_balancers(objects, cluster);
  if (doubled.empty()) return finding;
  finding.result = Health::problem;
  finding.text = doubled.front().service + " has " + join(doubled.front().ids);
  if (doubled.size() > 1)
    finding.text += ", and " + counted(doubled.size() - 1, "other") + " likewise";
  finding.advice = "delete those whose address is not in the Service's status";
  return finding;
}

Finding check_node_ports(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster) {
  Finding finding{"node-ports", Health::ok, {}, {}};
  std::vector<std::string> open;
  std::vector<std::string> unknown;
  const bool firewall = std::any_of(objects.begin(), objects.end(), [](const OwnedObject& object) {
    return object.kind == CCM_OWNED_FIREWALL;
  });
  for (const json& service : cluster.services) {
    if (!exposes_node_ports(service)) continue;
    ClusterObjects alone;
    alone.services.push_back(service);
    const bool group = std::any_of(objects.begin(), objects.end(), [&](const OwnedObject& object) {
      return object.kind == CCM_OWNED_SECURITY_GROUP && is_needed(object, alone);
    });
    const json& metadata = part(service, "metadata");
    const std::string key = member(metadata, "namespace") + "/" + member(metadata, "name");
    (group || firewall ? open : unknown).push_back(key);
  }
  if (unknown.empty()) {
    finding.text = open.empty()
                       ? "no Service needs node ports"
                       : "a firewall or security group of the manager lets clients in to " +
                             counted(open.size(), "Service");
    return finding;
  }
  finding.result = Health::unknown;
  finding.text =
      "the provider cannot tell whether clients reach the node ports of " + some_of(unknown);
  finding.advice =
      "see that firewalls or security groups of the instances let the load balancers in, on "
      "30000-32767 unless --service-node-port-range says otherwise";
  return finding;
}

}  // namespace ccm::ctl
