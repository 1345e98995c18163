#include "kube/config.hpp"

#include "kube/file_text.hpp"

#include <ccm/trim.hpp>

#include <cstdlib>

namespace ccm::kube {
namespace {

constexpr std::string_view kPlainHttp = "http://";

Status unusable(std::string message) { return {Code::failed_precondition, std::move(message)}; }

bool has_scheme(std::string_view server) {
  return server.starts_with("https://") || server.starts_with("http://");
}

// A server given by --master alone: nothing vouches for it, so no credential is sent there.
Result<ClientConfig> from_master(const std::string& master) {
  ClientConfig config;
  config.source = "--master";
  config.namespace_name = "default";
  config.server = has_scheme(master) ? master : std::string(kPlainHttp) + master;
  if (master.find("://") != std::string::npos && !has_scheme(master)) {
    return Status(Code::invalid_argument,
                  "--master " + master + ": write http:// or https:// and a host");
  }
  while (config.server.ends_with('/')) config.server.pop_back();
  return config;
}

std::string namespace_of_pod(const ClusterEnvironment& environment) {
  if (std::string name = environment.env("POD_NAMESPACE"); !name.empty()) return name;
  const Result<std::string> file = read_file(environment.directory + "/namespace");
  if (file.ok() && !trim(*file).empty()) return std::string(trim(*file));
  return "default";
}

}  // namespace

ClientConfig ClientConfig::anonymous() const {
  ClientConfig result;
  result.server = server;
  result.source = source;
  result.ca_file = ca_file;
  result.ca_data = ca_data;
  result.ca_file_optional = ca_file_optional;
  result.tls_server_name = tls_server_name;
  result.insecure_skip_tls_verify = insecure_skip_tls_verify;
  result.proxy_url = proxy_url;
  result.namespace_name = namespace_name;
  result.file = file;
  result.file_master = file_master;
  result.file_stamp = file_stamp;
  result.without_credential = true;
  return result;
}

ClusterEnvironment ClusterEnvironment::process() {
  ClusterEnvironment environment;
  environment.env = [](std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return std::string(value == nullptr ? "" : value);
  };
  return environment;
}

Result<ClientConfig> in_cluster_config(const ClusterEnvironment& environment) {
  std::string host = environment.env("KUBERNETES_SERVICE_HOST");
  const std::string port = environment.env("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return unusable(
        "not inside a Kubernetes pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be "
        "set");
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  ClientConfig config;
  config.source = "the in-cluster environment";
  config.server = "https://" + host + ":" + port;
  config.token_file = environment.directory + "/token";
  const Result<std::string> token = read_file(config.token_file);
  if (!token.ok()) {
    return unusable("in-cluster configuration: " + token.status().message() +
                    "; does the pod mount a service account token?");
  }
  config.token = trim(*token);
  // Without a readable CA the system's roots decide; the client says so when it starts (API-77).
  config.ca_file = environment.directory + "/ca.crt";
  config.ca_file_optional = true;
  config.namespace_name = namespace_of_pod(environment);
  return config;
}

Result<ClientConfig> load_kubeconfig(const std::string& path, const std::string& master) {
  // Older than the content, so that a change in between shows as one.
  const FileStamp stamp = file_stamp(path);
  const Result<std::string> text = read_file(path);
  if (!text.ok()) {
    return unusable("kubeconfig: " + text.status().message() +
                    "; give an existing file with --kubeconfig");
  }
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Result<ClientConfig> config = parse_kubeconfig(*text, path, directory, master);
  if (!config.ok()) return config;
  config->file = path;
  config->file_master = master;
  config->file_stamp = stamp;
  return config;
}

Result<ClientConfig> load_config(const ConfigOptions& options,
                                 const ClusterEnvironment& environment) {
  if (!options.kubeconfig.empty()) return load_kubeconfig(options.kubeconfig, options.master);
  if (!options.master.empty()) return from_master(options.master);
  Result<ClientConfig> config = in_cluster_config(environment);
  if (config.ok()) return config;
  return unusable("no configuration of the API server: " + config.status().message() +
                  "; outside of a cluster give --kubeconfig or --master");
}

}  // namespace ccm::kube
