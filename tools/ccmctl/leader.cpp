#include "leader.hpp"

#include "object_text.hpp"
#include "output.hpp"

#include <algorithm>
#include <string_view>

namespace ccm::ctl {
namespace {

using nlohmann::json;

// Letters, digits and `others`: nothing that a shell or a path would take for something else, since
// these texts are meant to be copied into one.
bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

// Host, object and namespace names.
bool is_plain_name(const std::string& text) {
  return !text.empty() && text.front() != '-' && text.front() != '.' && consists_of(text, "-.");
}

// The manager's Pod on a Node whose network it shares; empty unless exactly one is seen.
std::string pod_on_node(const ManagerOptions& options, const std::string& pods,
                        const std::string& node) {
  const std::string selector =
      "spec.nodeName=" + node + ",status.phase!=Failed,status.phase!=Succeeded";
  const auto list = ask_cluster(options, pods + "?fieldSelector=" + query_text(selector));
  if (!list.ok() || !list->contains("items")) return {};
  std::string found;
  for (const json& pod : list->at("items")) {
    const std::string name = member(part(pod, "metadata"), "name");
    const bool fits = member(part(pod, "spec"), "hostNetwork") == "true" && is_plain_name(name) &&
                      name.find("cloud-controller-manager") != std::string::npos;
    if (!fits) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

// A host's name is the Pod's or, with hostNetwork, the Node's. Empty when no such Pod is found.
std::string pod_of(const ManagerOptions& options, const std::string& namespace_name,
                   const std::string& host) {
  const std::string pods = "/api/v1/namespaces/" + namespace_name + "/pods";
  const auto pod = ask_cluster(options, pods + "/" + host);
  const bool absent = !pod.ok() && pod.status().code() == Code::not_found;
  return absent ? pod_on_node(options, pods, host) : host;
}

// "kubectl" for the cluster that was asked; empty when its flags would need quoting.
std::string kubectl(const ManagerOptions& options) {
  std::string command = "kubectl";
  const auto add = [&](const char* flag, const std::string& value) {
    if (!consists_of(value, "@:/._-+")) command.clear();
    if (!value.empty() && !command.empty()) command += flag + value;
  };
  add(" --kubeconfig=", options.kubeconfig);
  add(" --context=", options.context);
  return command;
}

std::string how_to_ask(const ManagerOptions& options, const std::string& namespace_name,
                       const std::string& holder) {
  const std::string host = holder.substr(0, holder.rfind('_'));  // HOST_UUID
  if (!is_plain_name(host)) return "ask that one";
  const std::string pod = pod_of(options, namespace_name, host);
  if (pod.empty()) {
    return "its Pod was not found in namespace " + namespace_name +
           ": ask it with --endpoint=https://" + host + ":10258";
  }
  const std::string command = kubectl(options);
  if (command.empty()) return "to ask that one, forward port 10258 of its Pod " + pod;
  return "to ask that one: " + command + " -n " + namespace_name + " port-forward pod/" + pod +
         " 10258";
}

}  // namespace

bool is_standby(const json& status) {
  const json& election = part(status, "leaderElection");
  return !election.value("leading", false) && election.contains("lease");
}

std::string standby_text(const ManagerOptions& options, const json& status) {
  const std::string lease = member(part(status, "leaderElection"), "lease");
  const std::string begin = "this manager is a standby, which reconciles nothing; Lease " + lease;
  const std::string namespace_name = lease.substr(0, lease.find('/'));
  const std::string name = lease.substr(std::min(namespace_name.size() + 1, lease.size()));
  if (!is_plain_name(namespace_name) || !is_plain_name(name)) return begin + " names the leader";
  const auto found = ask_cluster(
      options, "/apis/coordination.k8s.io/v1/namespaces/" + namespace_name + "/leases/" + name);
  if (!found.ok() && found.status().code() != Code::not_found) {
    return begin + " names the leader, but cannot be read: " + printable(found.status().message());
  }
  const std::string holder = found.ok() ? member(part(*found, "spec"), "holderIdentity") : "";
  if (holder.empty()) return begin + " has no holder now; ask again in a few seconds";
  return begin + " is held by " + printable(holder) + "; " +
         how_to_ask(options, namespace_name, holder);
}

}  // namespace ccm::ctl
