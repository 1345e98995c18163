#include "kube/config.hpp"

#include "kube/yaml_fields.hpp"

#include <ccm/trim.hpp>

#include <yaml-cpp/yaml.h>

#include <cstdlib>

namespace ccm::kube {

namespace {

constexpr std::string_view kPlainHttp = "http://";

Status unusable(std::string message) { return {Code::failed_precondition, std::move(message)}; }

bool has_scheme(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://");
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
  const ServerConfig& server_and_trust = *this;
  static_cast<ServerConfig&>(result) = server_and_trust;
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

// Kubeconfig files (API-86, 87, 91..99). yaml-cpp throws; nothing leaves parse_kubeconfig() but a
// Status.

namespace {

constexpr std::string_view kExecGroup = "client.authentication.k8s.io";

class Reader : YamlFields {
 public:
  Reader(std::string name, std::string directory)
      : YamlFields("kubeconfig " + name, std::move(directory)) {}

  ClientConfig read(const std::string& text, const std::string& master,
                    const std::string& wanted_context) {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap())
      refuse("it is not a kubeconfig: it must be a YAML or JSON map of kind Config");
    const std::string version = text_of(root, "apiVersion", "the file");
    const std::string kind = text_of(root, "kind", "the file");
    if ((!version.empty() && version != "v1") || (!kind.empty() && kind != "Config")) {
      refuse("it holds apiVersion " + in_quotes(version) + ", kind " + in_quotes(kind) +
             ", but a kubeconfig has v1 and Config");
    }
    ClientConfig config;
    config.source = what();
    std::string context_name = wanted_context;
    const YAML::Node context = pick_context(root, master.empty(), context_name);
    const std::string context_where = "context " + in_quotes(context_name);
    const std::string cluster_name = text_of(context, "cluster", context_where);
    const std::string user_name = text_of(context, "user", context_where);
    config.namespace_name = text_of(context, "namespace", context_where);
    if (config.namespace_name.empty()) config.namespace_name = "default";

    const std::string cluster_where = "cluster " + in_quotes(cluster_name);
    YAML::Node cluster(YAML::NodeType::Map);
    if (!cluster_name.empty() || master.empty()) {
      if (cluster_name.empty()) refuse(context_where + " names no cluster: add cluster");
      const Entries clusters = entries(root, "clusters", "cluster");
      const auto found = clusters.find(cluster_name);
      if (found == clusters.end()) {
        refuse(context_where + " names the cluster " + in_quotes(cluster_name) +
               ", which is not in clusters");
      }
      cluster = found->second;
      read_cluster(cluster, cluster_where, config);
    }
    if (!master.empty()) config.server = master;

    ClientConfig with_user = config;
    if (!user_name.empty()) {
      const Entries users = entries(root, "users", "user");
      const auto found = users.find(user_name);
      if (found == users.end()) {
        refuse(context_where + " names the user " + in_quotes(user_name) +
               ", which is not in users");
      }
      read_user(found->second, "user " + in_quotes(user_name), with_user);
    }
    settle_server(with_user, cluster_where);
    config.server = with_user.server;
    // Credentials never travel in the clear (API-98).
    if (!config.server.starts_with("https://")) return config;
    if (with_user.exec && with_user.exec->provide_cluster_info) {
      for (const auto& item : yaml_member(cluster, "extensions")) {
        if (text_of(item, "name", cluster_where) != std::string(kExecGroup) + "/exec") continue;
        with_user.exec->cluster_config_json =
            json_of(yaml_member(item, "extension"), cluster_where);
      }
    }
    return with_user;
  }

 private:
  // `name`: the wanted one, or empty for current-context; set to the chosen one.
  YAML::Node pick_context(const YAML::Node& root, bool required, std::string& name) const {
    const Entries contexts = entries(root, "contexts", "context");
    if (!name.empty()) {
      const auto wanted = contexts.find(name);
      if (wanted == contexts.end()) refuse("it has no context " + in_quotes(name));
      return wanted->second;
    }
    name = text_of(root, "current-context", "the file");
    if (name.empty() && contexts.size() == 1) name = contexts.begin()->first;
    if (name.empty()) {
      if (!required && contexts.empty()) return YAML::Node(YAML::NodeType::Map);
      refuse(contexts.empty()
                 ? std::string("it has no contexts: add one that names a cluster and a user")
                 : "current-context is not set and there are " + std::to_string(contexts.size()) +
                       " contexts: set current-context to one of them");
    }
    const auto found = contexts.find(name);
    if (found == contexts.end()) {
      refuse("current-context " + in_quotes(name) + " is not among the contexts");
    }
    return found->second;
  }

  void read_cluster(const YAML::Node& cluster, const std::string& where,
                    ClientConfig& config) const {
    config.server = text_of(cluster, "server", where);
    config.tls_server_name = text_of(cluster, "tls-server-name", where);
    config.insecure_skip_tls_verify = flag_of(cluster, "insecure-skip-tls-verify", where);
    config.proxy_url = text_of(cluster, "proxy-url", where);
    file_or_data(cluster, "certificate-authority", where, config.ca_file, config.ca_data);
    if (config.insecure_skip_tls_verify && !(config.ca_file.empty() && config.ca_data.empty())) {
      refuse(where +
             " has insecure-skip-tls-verify and a certificate authority: remove one of them");
    }
    const std::string& proxy = config.proxy_url;
    if (!proxy.empty() && !has_scheme(proxy) && !proxy.starts_with("socks5://")) {
      refuse(where + ": proxy-url must begin with http://, https:// or socks5://");
    }
  }

  void read_user(const YAML::Node& user, const std::string& where, ClientConfig& config) const {
    file_or_data(user, "client-certificate", where, config.client_certificate_file,
                 config.client_certificate_data);
    file_or_data(user, "client-key", where, config.client_key_file, config.client_key_data);
    const bool certificate =
        !config.client_certificate_file.empty() || !config.client_certificate_data.empty();
    const bool key = !config.client_key_file.empty() || !config.client_key_data.empty();
    if (certificate && !key) {
      refuse(where + " has a client-certificate without a key: add client-key or client-key-data");
    }
    config.token = text_of(user, "token", where);
    config.token_file = path_of(user, "tokenFile", where);
    if (!config.token_file.empty()) {
      const Result<std::string> token = read_file(config.token_file);
      if (!token.ok()) refuse(where + ": tokenFile: " + token.status().message());
      if (trim(*token).empty()) refuse(where + ": tokenFile " + config.token_file + " is empty");
    }
    config.username = text_of(user, "username", where);
    config.password = text_of(user, "password", where);
    const bool basic = !config.username.empty() || !config.password.empty();
    if (basic && !config.token.empty()) {
      refuse(where + " has both a token and username/password: remove one of them");
    }
    read_impersonation(user, where, config.impersonate);
    const YAML::Node old_way = yaml_member(user, "auth-provider");
    const bool provider = old_way && !old_way.IsNull();
    const YAML::Node exec = yaml_member(user, "exec");
    if (!exec || exec.IsNull()) {
      if (provider) {
        refuse(where + ": auth-provider is not supported any more: use an exec plugin or a token");
      }
      return;
    }
    if (provider) refuse(where + " has both auth-provider and exec: remove auth-provider");
    if (!exec.IsMap()) refuse(where + ": exec must be a map");
    read_exec(exec, where, config.exec.emplace());
    // An existing credential wins, and the plugin does not run (API-90).
    if (!config.token.empty() || !config.token_file.empty() || basic || certificate)
      config.exec.reset();
  }

  void read_impersonation(const YAML::Node& user, const std::string& where,
                          Impersonation& impersonate) const {
    impersonate.user = text_of(user, "as", where);
    impersonate.uid = text_of(user, "as-uid", where);
    impersonate.groups = texts_of(user, "as-groups", where);
    const YAML::Node extra = yaml_member(user, "as-user-extra");
    for (const auto& [key, values] : yaml_members(extra)) {
      impersonate.extra.emplace_back(key, texts_of(extra, key, where + ": as-user-extra"));
    }
    const bool more =
        !impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty();
    if (impersonate.user.empty() && more) {
      refuse(where + " has as-uid, as-groups or as-user-extra without as: add as or remove them");
    }
  }

  void read_exec(const YAML::Node& exec, const std::string& where, ExecConfig& result) const {
    result.command = text_of(exec, "command", where);
    if (result.command.empty()) refuse(where + ": exec needs a command");
    if (result.command.front() != '/' && result.command.find('/') != std::string::npos) {
      result.command = path_of(exec, "command", where);
    }
    result.args = texts_of(exec, "args", where);
    result.install_hint = text_of(exec, "installHint", where);
    result.provide_cluster_info = flag_of(exec, "provideClusterInfo", where);
    result.api_version = text_of(exec, "apiVersion", where);
    const std::string group(kExecGroup);
    if (result.api_version != group + "/v1" && result.api_version != group + "/v1beta1") {
      refuse(where + ": exec.apiVersion is " + in_quotes(result.api_version) + ", it must be " +
             group + "/v1 or " + group + "/v1beta1");
    }
    result.interactive_mode = text_of(exec, "interactiveMode", where);
    if (result.interactive_mode.empty() && result.api_version.ends_with("/v1beta1")) {
      result.interactive_mode = "IfAvailable";
    }
    const std::string& mode = result.interactive_mode;
    if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
      refuse(where + ": exec.interactiveMode must be Never, IfAvailable or Always");
    }
    const YAML::Node env = yaml_member(exec, "env");
    if (!env || env.IsNull()) return;
    if (!env.IsSequence()) refuse(where + ": exec.env must be a list");
    for (const auto& item : env) {
      std::string key = text_of(item, "name", where + ": exec.env");
      if (key.empty()) refuse(where + ": an entry of exec.env has no name");
      result.env.emplace_back(std::move(key), text_of(item, "value", where + ": exec.env"));
    }
  }

  // API-2: a bare host:port is https when there are TLS settings.
  void settle_server(ClientConfig& config, const std::string& where) const {
    if (config.server.empty()) refuse(where + " has no server: add server: https://host:port");
    const bool tls = !config.ca_file.empty() || !config.ca_data.empty() ||
                     config.insecure_skip_tls_verify || !config.client_certificate_file.empty() ||
                     !config.client_certificate_data.empty();
    if (config.server.find("://") == std::string::npos) {
      config.server = (tls ? "https://" : "http://") + config.server;
    }
    if (!has_scheme(config.server)) {
      refuse(where + ": server must begin with https:// or http://");
    }
    while (config.server.ends_with('/')) config.server.pop_back();
  }
};

}  // namespace

Result<ClientConfig> parse_kubeconfig(const std::string& text, const std::string& name,
                                      const std::string& directory, const std::string& master,
                                      const std::string& context) {
  try {
    return Reader(name, directory).read(text, master, context);
  } catch (...) {
    return yaml_failure("kubeconfig " + name);
  }
}

}  // namespace ccm::kube
