// ccmctl's requests: a running manager's /statusz, over the secure port, as the user of a
// kubeconfig, and the API server's objects about the managers, as the same user.
#pragma once

#include "kube/config.hpp"

#include <ccm/status.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace ccm::ctl {

// The endpoint of a manager on this machine.
inline constexpr const char* kLocalEndpoint = "https://127.0.0.1:10258";

struct ManagerOptions {
  std::string endpoint;               // empty = the leader's, else kLocalEndpoint
  std::string kubeconfig;             // empty = $KUBECONFIG, else ~/.kube/config
  std::string context;                // empty = the file's current one
  std::string certificate_authority;  // file; empty = the kubeconfig's
  std::string tls_server_name;        // empty = the endpoint's host
  bool insecure = false;
  std::string lease = "kube-system/cloud-controller-manager";  // that names the leader
  unsigned timeout_seconds = 10;
};

// --endpoint, --kubeconfig, --context and kubectl's TLS flags.
void add_manager_options(CLI::App& command, ManagerOptions& options);

// --kubeconfig, --context and --request-timeout alone.
void add_cluster_options(CLI::App& command, ManagerOptions& options);

// GET of `path_and_query` below the endpoint; without one of the leader that the Lease names,
// through a port forward of the API server, else on this machine by the port and the certificate
// that the Lease tells, else of another manager on this machine. The failure is one
// line: what, where, what to do; no credential is ever part of it.
Result<nlohmann::json> ask_manager(const ManagerOptions& options,
                                   const std::string& path_and_query);

// The kubeconfig's API server and user.
Result<kube::ClientConfig> cluster_config(const ManagerOptions& options);

// GET from the kubeconfig's API server. No credential is part of a failure.
Result<nlohmann::json> ask_cluster(const ManagerOptions& options,
                                   const std::string& path_and_query);

// The header Date of the API server's answer to a GET of /version; empty when it has none.
Result<std::string> ask_date(const ManagerOptions& options);

}  // namespace ccm::ctl
