// How to reach an API server and as whom: kubeconfig files, the in-cluster environment, --master.
// Loading reads files and blocks: at start only. Value types, any thread.
#pragma once

#include "kube/file_text.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::kube {

// Where a client gets its bearer token when neither file nor program has it. Home thread: the
// client's.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // The token for a request. Asked before each one: answers at once while the token is good.
  virtual boost::asio::awaitable<Result<std::string>> token() = 0;
  // The API server refused (401) a request that carried this token.
  virtual void rejected(const std::string& token) = 0;
};

// A program that supplies credentials (API-86).
struct ExecConfig {
  std::string
      command;  // resolved against the kubeconfig's folder when relative with a separator (API-87)
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;  // client.authentication.k8s.io/v1 or /v1beta1
  std::string install_hint;
  std::string interactive_mode;  // Never, IfAvailable, Always
  bool provide_cluster_info = false;
  std::string cluster_config_json;  // cluster extension for the plugin, JSON; may be empty (API-88)

  bool operator==(const ExecConfig&) const = default;
};

struct Impersonation {  // API-85
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  bool operator==(const Impersonation&) const = default;
};

// An API server, and why it is trusted.
struct ServerConfig {
  std::string server;  // absolute URL, may have a path prefix (API-2), no slash at its end
  std::string source;  // for messages: the file or "the in-cluster environment"

  std::string ca_file;            // re-read (API-83); used when ca_data is empty
  std::string ca_data;            // PEM
  bool ca_file_optional = false;  // unreadable: the system's roots, and a log line (API-77)
  std::string tls_server_name;
  std::string server_fingerprint;  // SHA-256 of the only certificate that is trusted; empty: none
  bool insecure_skip_tls_verify = false;
  std::string proxy_url;

  std::string namespace_name;  // the context's; "default" when unsaid

  // The kubeconfig that all this was read from; it is read again when it changes. Empty: none.
  std::string file;
  std::string file_master;  // the address that the flag --master put in its place
  FileStamp file_stamp;     // the stamp of what was read
};

struct ClientConfig : ServerConfig {
  std::string client_certificate_file;  // re-read (API-82)
  std::string client_certificate_data;  // PEM
  std::string client_key_file;
  std::string client_key_data;  // PEM, never logged
  std::string token;            // never logged
  std::string token_file;       // its last good content wins over `token` (API-79, 80)
  std::string username;
  std::string password;  // never logged
  std::optional<ExecConfig> exec;
  std::shared_ptr<TokenSource> token_source;  // the only credential, where there is one
  Impersonation impersonate;
  bool without_credential = false;  // made by anonymous()

  // This configuration's server and trust, without any credential (HOST-131).
  [[nodiscard]] ClientConfig anonymous() const;
};

struct ConfigOptions {
  std::string kubeconfig;  // explicit path: must exist and is the only source (API-96)
  std::string master;      // --master: overrides the server's address
};

// Where the in-cluster configuration is read from; tests replace it.
struct ClusterEnvironment {
  std::function<std::string(std::string_view)> env;  // value of a variable, empty when unset
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
  static ClusterEnvironment process();
};

// The configuration that the flags select (HOST-91): kubeconfig and/or master if one is given, else
// in-cluster. Failure: invalid_argument or failed_precondition with one line: what, where, what to
// do.
Result<ClientConfig> load_config(
    const ConfigOptions& options,
    const ClusterEnvironment& environment = ClusterEnvironment::process());

// One kubeconfig file, YAML or JSON (API-91..99). `master` as in ConfigOptions.
Result<ClientConfig> load_kubeconfig(const std::string& path, const std::string& master = {});

// Reads a kubeconfig from a text; relative paths are resolved against `directory` (API-95), `name`
// stands in messages, `context` names one of the file's contexts, empty = its current-context.
Result<ClientConfig> parse_kubeconfig(const std::string& text, const std::string& name,
                                      const std::string& directory, const std::string& master = {},
                                      const std::string& context = {});

// API-77, 78.
Result<ClientConfig> in_cluster_config(const ClusterEnvironment& environment);

}  // namespace ccm::kube
