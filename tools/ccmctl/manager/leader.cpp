#include "leader.hpp"

#include "ccmctl/output.hpp"
#include "election/lease.hpp"
#include "object_text.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <charconv>
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
  const auto list = ask_cluster(options, pods + "?fieldSelector=" + percent_encode(selector));
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

struct LeaseName {
  std::string namespace_name;
  std::string name;
  [[nodiscard]] bool good() const { return is_plain_name(namespace_name) && is_plain_name(name); }
};

LeaseName split_lease(const std::string& lease) {
  const std::string space = lease.substr(0, lease.find('/'));
  return {space, lease.substr(std::min(space.size() + 1, lease.size()))};
}

Result<json> read_lease(const ManagerOptions& options, const LeaseName& lease) {
  return ask_cluster(options, "/apis/coordination.k8s.io/v1/namespaces/" + lease.namespace_name +
                                  "/leases/" + lease.name);
}

// HOST_UUID; empty when it names no host.
std::string host_of(const std::string& holder) {
  const std::string host = holder.substr(0, holder.rfind('_'));
  return is_plain_name(host) ? host : std::string();
}

std::string how_to_ask(const ManagerOptions& options, const std::string& namespace_name,
                       const std::string& holder) {
  const std::string host = host_of(holder);
  if (host.empty()) return "ask that one";
  const std::string pod = pod_of(options, namespace_name, host);
  if (pod.empty()) {
    return "its Pod was not found in namespace " + namespace_name +
           ": ask it with --endpoint=https://" + host + ":10258";
  }
  return "to ask that one, in Pod " + pod + ", leave out --endpoint";
}

}  // namespace

bool is_standby(const json& status) {
  const json& election = part(status, "leaderElection");
  return !election.value("leading", false) && election.contains("lease");
}

std::string standby_text(const ManagerOptions& options, const json& status) {
  const std::string text = member(part(status, "leaderElection"), "lease");
  const std::string begin = "this manager is a standby, which reconciles nothing; Lease " + text;
  const LeaseName lease = split_lease(text);
  if (!lease.good()) return begin + " names the leader";
  const auto found = read_lease(options, lease);
  if (!found.ok() && found.status().code() != Code::not_found) {
    return begin + " names the leader, but cannot be read: " + printable(found.status().message());
  }
  const std::string holder = found.ok() ? member(part(*found, "spec"), "holderIdentity") : "";
  if (holder.empty()) return begin + " has no holder now; ask again in a few seconds";
  return begin + " is held by " + printable(holder) + "; " +
         how_to_ask(options, lease.namespace_name, holder);
}

Result<Leader> find_leader(const ManagerOptions& options) {
  const LeaseName lease = split_lease(options.lease);
  if (!lease.good()) return Status(Code::invalid_argument, "--lease is written NAMESPACE/NAME");
  const auto found = read_lease(options, lease);
  const std::string what = "Lease " + options.lease;
  if (!found.ok()) return found.status().with_context(what);
  const std::string holder = member(part(*found, "spec"), "holderIdentity");
  if (holder.empty()) return Status(Code::unavailable, what + " has no holder now");
  const json& annotations = part(part(*found, "metadata"), "annotations");
  Leader leader;
  leader.target.namespace_name = lease.namespace_name;
  leader.fingerprint = member(annotations, election::kCertificateAnnotation);
  const std::string port = member(annotations, election::kPortAnnotation);
  std::from_chars(port.data(), port.data() + port.size(), leader.target.port);
  if (leader.target.port == 0 || leader.fingerprint.empty()) {
    return Status(Code::failed_precondition,
                  what + " does not say where its holder " + printable(holder) +
                      " is asked: it has no secure port (--secure-port=0), or is another program");
  }
  leader.host = host_of(holder);
  if (!leader.host.empty()) {
    leader.target.pod = pod_of(options, lease.namespace_name, leader.host);
  }
  if (leader.target.pod.empty()) {
    leader.no_pod = "the Pod of " + printable(holder) + ", which holds " + what +
                    ", was not found in namespace " + lease.namespace_name;
  }
  return leader;
}

}  // namespace ccm::ctl
