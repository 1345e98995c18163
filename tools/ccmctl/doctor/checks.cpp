#include "checks.hpp"

#include "ccmctl/manager/object_text.hpp"
#include "ccmctl/output.hpp"
#include "kube/time_text.hpp"

#include <ccm/taints.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr const char* kServiceFinalizer = "service.kubernetes.io/load-balancer-cleanup";
constexpr const char* kOwnAllocator = "ccm.controller-ipam";
constexpr const char* kExcludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers";
constexpr seconds kClockWarning{5};
constexpr seconds kClockProblem{60};

std::string name_of(const json& object) { return member(part(object, "metadata"), "name"); }

bool has_taint(const json& node, std::string_view key = kUninitializedTaint) {
  const json& taints = part(part(node, "spec"), "taints");
  return std::any_of(taints.begin(), taints.end(),
                     [key](const json& taint) { return member(taint, "key") == key; });
}

// SVC-58: any value but Go's false.
bool is_excluded(const json& labels) {
  if (!labels.is_object() || !labels.contains(kExcludeLabel)) return false;
  const std::string value = member(labels, kExcludeLabel);
  const auto no = {"0", "f", "F", "FALSE", "false", "False"};
  return std::none_of(no.begin(), no.end(), [&](const char* text) { return value == text; });
}

bool is_any_of(const std::vector<std::string>& prefixes, const std::string& id) {
  return prefixes.empty() ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return id.starts_with(prefix); });
}

seconds age_of(const std::string& time, SystemTime now) {
  const auto then = kube::parse_time(time);
  return then ? std::chrono::duration_cast<seconds>(now - *then) : seconds(0);
}

struct Renewal {
  std::string holder;
  std::string renewed;
  int64_t duration = 0;
};

Renewal renewal_of(const json& lease) {
  const json& spec = part(lease, "spec");
  return {member(spec, "holderIdentity"), member(spec, "renewTime"),
          std::strtoll(member(spec, "leaseDurationSeconds").c_str(), nullptr, 10)};
}

// When each writer gave Nodes their ranges: the first and the last time.
struct Allocator {
  std::string first;
  std::string last;
};

std::map<std::string, Allocator> allocators_of(const json& nodes) {
  std::map<std::string, Allocator> all;
  for (const json& node : nodes) {
    for (const json& entry : part(part(node, "metadata"), "managedFields")) {
      const json& spec = part(part(entry, "fieldsV1"), "f:spec");
      if (!spec.contains("f:podCIDR") && !spec.contains("f:podCIDRs")) continue;
      const std::string time = member(entry, "time");
      Allocator& allocator = all[member(entry, "manager")];
      if (allocator.first.empty() || time < allocator.first) allocator.first = time;
      allocator.last = std::max(allocator.last, time);
    }
  }
  return all;
}

// Ranges that several Nodes have.
std::vector<std::string> doubled_ranges(const json& nodes) {
  std::map<std::string, std::size_t> count;
  for (const json& node : nodes) {
    std::set<std::string> own;
    const json& spec = part(node, "spec");
    if (const std::string single = member(spec, "podCIDR"); !single.empty()) own.insert(single);
    for (const json& range : part(spec, "podCIDRs")) {
      if (range.is_string()) own.insert(printable(range.get<std::string>()));
    }
    for (const std::string& range : own) ++count[range];
  }
  std::vector<std::string> doubled;
  for (const auto& [range, nodes_with_it] : count) {
    if (nodes_with_it > 1) doubled.push_back(range);
  }
  return doubled;
}

}  // namespace

Finding check_clock(std::optional<SystemTime> server, SystemTime local) {
  Finding finding{"clock", Health::ok, {}, {}};
  if (!server) {
    finding.result = Health::unknown;
    finding.text = "the API server's answer has no header Date, so its clock is not known";
    finding.advice = "compare `date` here and on the control plane";
    return finding;
  }
  const auto off = std::chrono::duration_cast<seconds>(local - *server);
  const auto far = std::chrono::abs(off);
  finding.text = "this machine's clock is " + std::to_string(far.count()) + " s " +
                 (off.count() < 0 ? "slow" : "fast") + " by the API server's";
  if (far < kClockWarning) {
    finding.text = "this machine and the API server agree within " +
                   std::to_string(kClockWarning.count()) + " s";
    return finding;
  }
  finding.result = far >= kClockProblem ? Health::problem : Health::warning;
  finding.advice = "keep the clocks together with NTP: certificates and tokens depend on them";
  return finding;
}

bool lease_seems_stale(const json& lease, SystemTime now) {
  const Renewal renewal = renewal_of(lease);
  return !renewal.holder.empty() &&
         std::chrono::abs(age_of(renewal.renewed, now)) > seconds(renewal.duration);
}

Finding check_lease(const LeaseLook& look) {
  Finding finding{"lease", Health::problem, {}, {}};
  if (look.lease.is_null()) {
    finding.text = "there is no Lease " + look.name;
    finding.advice =
        "start the manager; if it runs, see that --leader-elect-resource-name and -namespace are "
        "the same here and there";
    return finding;
  }
  const Renewal renewal = renewal_of(look.lease);
  if (renewal.holder.empty()) {
    finding.text = "nobody holds the Lease " + look.name;
    finding.advice = "start the manager, or look at its log";
    return finding;
  }
  const Renewal later = renewal_of(look.later);
  if (!look.later.is_null() && later.holder == renewal.holder && later.renewed == renewal.renewed) {
    finding.text = renewal.holder + " holds the Lease " + look.name +
                   " and does not renew it, since " + renewal.renewed;
    finding.advice = "look at that process: it hangs, is gone, or cannot reach the API server";
    return finding;
  }
  finding.result = Health::ok;
  finding.text = renewal.holder + " holds the Lease " + look.name + " and renews it";
  return finding;
}

Finding check_uninitialized(const json& nodes, SystemTime now, std::chrono::minutes limit) {
  std::vector<std::string> waiting;
  std::size_t fresh = 0;
  for (const json& node : nodes) {
    if (!has_taint(node)) continue;
    const bool old = age_of(member(part(node, "metadata"), "creationTimestamp"), now) >= limit;
    if (old) waiting.push_back(name_of(node));
    fresh += old ? 0 : 1;
  }
  Finding finding{"uninitialized-nodes", Health::ok, {}, {}};
  if (waiting.empty()) {
    finding.text = fresh == 0 ? "no Node has the taint " + std::string(kUninitializedTaint)
                              : counted(fresh, "Node") + " waited less than " +
                                    std::to_string(limit.count()) + " min so far";
    return finding;
  }
  finding.result = Health::problem;
  finding.text = counted(waiting.size(), "Node") + " kept the taint " +
                 std::string(kUninitializedTaint) + " for " + std::to_string(limit.count()) +
                 " min or longer: " + some_of(waiting);
  finding.advice = "`ccmctl explain node/" + waiting.front() +
                   "` says what the manager waits for: it has to run with cloud-node-controller, "
                   "and the cloud has to have an instance of that name";
  return finding;
}

Finding check_shutdown(const json& nodes, SystemTime now, std::chrono::minutes limit) {
  std::vector<std::string> stale;
  for (const json& node : nodes) {
    if (!has_taint(node, kShutdownTaint)) continue;
    for (const json& condition : part(part(node, "status"), "conditions")) {
      const bool ready =
          member(condition, "type") == "Ready" && member(condition, "status") == "True";
      if (ready && age_of(member(condition, "lastTransitionTime"), now) >= limit) {
        stale.push_back(name_of(node));
      }
    }
  }
  Finding finding{"shutdown-taints", Health::ok, "no Ready Node has the taint ", {}};
  finding.text += kShutdownTaint;
  if (stale.empty()) return finding;
  finding.result = Health::problem;
  finding.text = counted(stale.size(), "Node") + " kept the taint " + std::string(kShutdownTaint) +
                 " although Ready for " + std::to_string(limit.count()) +
                 " min or longer: " + some_of(stale);
  finding.advice = "`ccmctl explain node/" + stale.front() +
                   "` says what the manager waits for: it has to run with "
                   "cloud-node-lifecycle-controller";
  return finding;
}

Finding check_kubelets(const json& nodes, const std::vector<std::string>& prefixes) {
  std::vector<std::string> without;
  std::vector<std::string> foreign;
  for (const json& node : nodes) {
    const std::string id = member(part(node, "spec"), "providerID");
    if (id.empty() && !has_taint(node)) without.push_back(name_of(node));
    if (!id.empty() && !is_any_of(prefixes, id)) foreign.push_back(name_of(node));
  }
  Finding finding{"kubelets", Health::ok, {}, {}};
  if (!without.empty()) {
    finding.result = Health::problem;
    finding.text = counted(without.size(), "Node") +
                   " came without the taint and has no provider ID: " + some_of(without);
    finding.advice =
        "start the kubelets with --cloud-provider=external, delete these Nodes, and let the "
        "kubelets register again";
  } else if (!foreign.empty()) {
    finding.result = Health::warning;
    finding.text = counted(foreign.size(), "Node") +
                   " has a provider ID of another cloud, and is left alone: " + some_of(foreign);
    finding.advice = "nothing, if the cluster has instances elsewhere, too";
  } else {
    finding.text = "each of " + counted(nodes.size(), "Node") +
                   " has a provider ID, or waits for one with the taint";
  }
  return finding;
}

Finding check_load_balancer_finalizers(const json& services, bool removed) {
  Finding finding{"load-balancer-finalizers",
                  Health::ok,
                  "a controller removes the finalizer of Services that go",
                  {}};
  if (removed) return finding;
  std::vector<std::string> all;
  std::vector<std::string> stuck;
  for (const json& service : services) {
    const json& metadata = part(service, "metadata");
    const json& finalizers = part(metadata, "finalizers");
    if (std::find(finalizers.begin(), finalizers.end(), kServiceFinalizer) == finalizers.end())
      continue;
    const std::string key = member(metadata, "namespace") + "/" + member(metadata, "name");
    all.push_back(key);
    if (!member(metadata, "deletionTimestamp").empty()) stuck.push_back(key);
  }
  if (all.empty()) {
    finding.text = "no controller of load balancers runs, and no Service has its finalizer";
    return finding;
  }
  finding.result = stuck.empty() ? Health::warning : Health::problem;
  finding.text = stuck.empty() ? counted(all.size(), "Service") + " has the finalizer "
                               : counted(stuck.size(), "Service") +
                                     " that is being deleted stays for its finalizer ";
  finding.text += std::string(kServiceFinalizer) +
                  ", which nobody removes: " + some_of(stuck.empty() ? all : stuck);
  finding.advice =
      "let the manager run with service-lb-controller and a provider that offers load balancers "
      "until they are gone, or delete their load balancers in the cloud and then the finalizer";
  return finding;
}

Finding check_provider_ids(const json& nodes) {
  std::map<std::string, std::vector<std::string>> holders;
  for (const json& node : nodes) {
    const std::string id = member(part(node, "spec"), "providerID");
    if (!id.empty()) holders[id].push_back(name_of(node));
  }
  std::vector<std::string> doubled;
  for (const auto& [id, names] : holders) {
    if (names.size() > 1) doubled.push_back(id + " (" + some_of(names) + ")");
  }
  if (doubled.empty()) {
    return {"provider-ids", Health::ok, "each instance is one Node's", {}};
  }
  return {"provider-ids", Health::problem,
          counted(doubled.size(), "instance") + " is named by several Nodes: " + some_of(doubled),
          "the oldest of them gets its traffic and routes; find out who made the others, since a "
          "kubelet chooses the provider ID of its Node, and delete them"};
}

Finding check_backends(const json& nodes, const json& services) {
  const auto wanted = static_cast<std::size_t>(std::count_if(
      services.begin(), services.end(),
      [](const json& service) { return member(part(service, "spec"), "type") == "LoadBalancer"; }));
  std::size_t excluded = 0;
  std::size_t deleting = 0;
  std::size_t leaving = 0;
  for (const json& node : nodes) {
    const json& metadata = part(node, "metadata");
    if (!member(metadata, "deletionTimestamp").empty()) {
      ++deleting;
    } else if (is_excluded(part(metadata, "labels"))) {
      ++excluded;
    } else if (has_taint(node, kAutoscalerTaint)) {
      ++leaving;
    }
  }
  const std::size_t left = nodes.size() - excluded - deleting - leaving;
  Finding finding{"load-balancer-nodes",
                  Health::ok,
                  counted(left, "Node") + " take the traffic of load balancers",
                  {}};
  if (left > 0 || wanted == 0) return finding;
  finding.result = Health::problem;
  finding.text = counted(wanted, "Service") + " of type LoadBalancer has no Node for its traffic";
  if (excluded > 0) finding.text += "; left out by " + std::string(kExcludeLabel) + ": ";
  if (excluded > 0) finding.text += counted(excluded, "Node");
  if (deleting > 0) finding.text += "; being deleted: " + counted(deleting, "Node");
  if (leaving > 0) finding.text += "; with the autoscaler's taint: " + counted(leaving, "Node");
  finding.advice = excluded > 0 ? "kubectl label node NAME " + std::string(kExcludeLabel) +
                                      "- on those that are to take it; some installers set it on "
                                      "control planes, and set it again"
                                : "add Nodes";
  return finding;
}

Finding check_families(const json& nodes) {
  std::vector<std::string> one_family;
  std::size_t both = 0;
  for (const json& node : nodes) {
    std::set<bool> families;
    for (const json& range : part(part(node, "spec"), "podCIDRs")) {
      if (range.is_string()) {
        families.insert(range.get_ref<const std::string&>().find(':') != std::string::npos);
      }
    }
    both += families.size() == 2 ? 1 : 0;
    if (families.size() == 1) one_family.push_back(name_of(node));
  }
  if (both == 0 || one_family.empty()) {
    return {"ip-families", Health::ok, "the Pod ranges of all Nodes have the same IP families", {}};
  }
  return {"ip-families", Health::warning,
          counted(one_family.size(), "Node") +
              " has a Pod range of one IP family, and others have both: " + some_of(one_family),
          "Kubernetes never adds a range to a Node: drain each, delete it (kubectl delete node "
          "NAME), give its kubelet a --node-ip of both families or none, and restart it"};
}

Finding check_pod_ranges(const json& nodes, bool allocates) {
  Finding finding{"pod-ranges", Health::problem, {}, {}};
  if (const auto doubled = doubled_ranges(nodes); !doubled.empty()) {
    finding.text = "several Nodes have the same range: " + some_of(doubled);
    finding.advice = "let one program allocate ranges, and make all but one of these Nodes again";
    return finding;
  }
  const auto all = allocators_of(nodes);
  const auto own = all.find(kOwnAllocator);
  for (const auto& [name, theirs] : all) {
    const bool theirs_too = own != all.end() && name != kOwnAllocator;
    // One that stopped before ours began was replaced.
    if (!theirs_too || theirs.last < own->second.first) continue;
    finding.text = name + " gives Nodes their ranges, and node-ipam-controller does, too";
    finding.advice =
        "start kube-controller-manager with --allocate-node-cidrs=false, or the manager without "
        "node-ipam-controller";
    return finding;
  }
  if (allocates && own == all.end() && !all.empty()) {
    finding.result = Health::warning;
    finding.text = all.begin()->first +
                   " gave the Nodes their ranges so far, and node-ipam-controller is to do it here";
    finding.advice = "start kube-controller-manager with --allocate-node-cidrs=false";
    return finding;
  }
  finding.result = Health::ok;
  finding.text = all.empty() ? "no Node shows who gave it a range"
                             : "one program gives the ranges: " +
                                   (own != all.end() ? std::string("node-ipam-controller")
                                                     : all.begin()->first);
  if (own == all.end() && all.size() > 1) {
    finding.text = counted(all.size(), "program") + " gave ranges, and none of them is ours";
  }
  return finding;
}

std::vector<std::string> provider_ids_of(const json& nodes,
                                         const std::vector<std::string>& prefixes) {
  std::vector<std::string> ids;
  for (const json& node : nodes) {
    std::string id = member(part(node, "spec"), "providerID");
    if (!id.empty() && is_any_of(prefixes, id)) ids.push_back(std::move(id));
  }
  return ids;
}

}  // namespace ccm::ctl
