#include "manager_query.hpp"

#include "kube/client.hpp"
#include "kube/file_text.hpp"
#include "leader.hpp"
#include "net/http_client.hpp"
#include "pod_tunnel.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

namespace ccm::ctl {
namespace {

namespace asio = boost::asio;

// kubectl's places, but files are not merged: the first existing one of the list.
std::string default_kubeconfig() {
  const char* list = std::getenv("KUBECONFIG");
  std::string rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    std::string file = rest.substr(0, rest.find(':'));
    rest.erase(0, file.size() + 1 <= rest.size() ? file.size() + 1 : rest.size());
    if (!file.empty() && std::filesystem::exists(file)) return file;
  }
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.kube/config";
}

bool is_loopback(const std::string& endpoint) {
  for (const char* host : {"https://127.", "https://localhost", "https://[::1]"}) {
    if (endpoint.starts_with(host)) return true;
  }
  return false;
}

// The chosen user, for `server`; empty = the API server of the kubeconfig.
Result<kube::ClientConfig> user_for(const ManagerOptions& options, const std::string& server) {
  const std::string path = options.kubeconfig.empty() ? default_kubeconfig() : options.kubeconfig;
  if (path.empty()) {
    return Status(Code::invalid_argument,
                  "there is no kubeconfig: give --kubeconfig or set KUBECONFIG");
  }
  const Result<std::string> text = kube::read_file(path);
  if (!text.ok()) {
    return Status(Code::not_found, "kubeconfig: " + text.status().message() +
                                       "; give an existing one with "
                                       "--kubeconfig");
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return kube::parse_kubeconfig(*text, path, folder, server, options.context);
}

Result<kube::ClientConfig> config_of(const ManagerOptions& options) {
  if (!options.endpoint.starts_with("https://")) {
    return Status(Code::invalid_argument, "--endpoint " + options.endpoint +
                                              ": write https://HOST:PORT; the manager speaks only "
                                              "TLS, and a credential never travels in the clear");
  }
  auto config = user_for(options, options.endpoint);
  if (!config.ok()) return config.status();
  // The kubeconfig's server certificate and proxy settings do not apply to a manager.
  config->tls_server_name = options.tls_server_name;
  config->insecure_skip_tls_verify = options.insecure;
  if (is_loopback(options.endpoint)) config->proxy_url.clear();
  if (!options.certificate_authority.empty()) {
    config->ca_data.clear();
    config->ca_file = options.certificate_authority;
  }
  if (options.insecure) {
    config->ca_data.clear();
    config->ca_file.clear();
  }
  return config;
}

template <typename T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::optional<T>* outcome) {
  T value = co_await std::move(work);
  outcome->emplace(std::move(value));
}

// Runs the loop until this has ended; others may go on in a later call.
template <typename T>
T run(asio::io_context& loop, asio::awaitable<T> work) {
  std::optional<T> outcome;
  asio::co_spawn(loop, keep(std::move(work), &outcome), [&loop](const std::exception_ptr& fault) {
    loop.stop();
    if (fault) std::rethrow_exception(fault);
  });
  loop.run();
  loop.restart();
  if (!outcome) return Status(Code::internal, "the request did not end");
  return *std::move(outcome);
}

asio::awaitable<Result<std::string>> read_all(kube::Client client, std::string path) {
  std::string method = "GET";
  std::string body;
  kube::CallOptions once;
  once.max_response_bytes = 64u << 20;  // all that waits in a large cluster
  auto answer = co_await client.raw(std::move(method), std::move(path), std::move(body), once);
  co_return answer;
}

kube::Client client_for(asio::io_context& loop, kube::ClientConfig config,
                        const ManagerOptions& options) {
  kube::ClientOptions client_options;
  client_options.user_agent = "ccmctl";
  client_options.timeout = std::chrono::seconds(options.timeout_seconds);
  client_options.max_retries = 0;
  return {loop.get_executor(), std::move(config), client_options};
}

Result<std::string> get(asio::io_context& loop, const kube::Client& client,
                        const std::string& path_and_query) {
  return run(loop, read_all(client, path_and_query));
}

// What to do about a refusal; `unreachable` for a manager that did not answer.
std::string advice(const Status& status, std::string unreachable) {
  const auto says = [&status](const char* text) {
    return status.message().find(text) != std::string::npos;
  };
  if ((status.code() == Code::unauthenticated && says("401")) || says("\"system:anonymous\"")) {
    return "; the manager does not know this user: it asks the cluster about tokens only with "
           "--authentication-kubeconfig or a service account";
  }
  switch (status.code()) {
    case Code::permission_denied:
      return "; let a role give this user the verb get on the non-resource URL /statusz";
    case Code::not_found:
      return "; is this a cloud-controller-manager of this project?";
    default:
      break;
  }
  return unreachable;
}

Result<nlohmann::json> read_status(const std::string& text, const std::string& who) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("kind", "") != "Statusz" || !json.contains("components")) {
    return Status(Code::data_loss,
                  who + " answers, but not as a cloud-controller-manager of this version does");
  }
  return json;
}

Result<nlohmann::json> ask_endpoint(const ManagerOptions& options,
                                    const std::string& path_and_query) {
  auto config = config_of(options);
  if (!config.ok()) return config.status();
  asio::io_context loop;
  const kube::Client client = client_for(loop, *std::move(config), options);
  if (Status status = client.check(); !status.ok()) return status;
  const Result<std::string> answer = get(loop, client, path_and_query);
  if (!answer.ok()) {
    const Status failed = answer.status();
    const std::string unreachable =
        "; see --endpoint, --certificate-authority and --tls-server-name";
    return Status(failed.code(),
                  options.endpoint + ": " + failed.message() + advice(failed, unreachable));
  }
  return read_status(*answer, options.endpoint);
}

std::string tunnel_advice(const Status& status, const PodPort& target) {
  if (status.code() != Code::permission_denied) return "";
  return "; let a role give this user get and create on pods/portforward in namespace " +
         target.namespace_name;
}

// The user, for an endpoint whose own certificate is the only one that is believed, whoever is in
// between.
Result<kube::ClientConfig> user_for_leader(const ManagerOptions& options,
                                           const std::string& endpoint,
                                           const std::string& fingerprint) {
  auto config = user_for(options, endpoint);
  if (!config.ok()) return config;
  config->ca_data.clear();
  config->ca_file.clear();
  config->tls_server_name.clear();
  config->proxy_url.clear();
  config->insecure_skip_tls_verify = false;
  config->server_fingerprint = fingerprint;
  return config;
}

// Asks a leader that runs in no Pod, on this machine.
Result<nlohmann::json> ask_here(const ManagerOptions& options, const Leader& leader,
                                const std::string& path_and_query) {
  const std::string endpoint = "https://127.0.0.1:" + std::to_string(leader.target.port);
  auto config = user_for_leader(options, endpoint, leader.fingerprint);
  if (!config.ok()) return config.status();
  asio::io_context loop;
  const kube::Client client = client_for(loop, *std::move(config), options);
  if (Status status = client.check(); !status.ok()) return status;
  const Result<std::string> answer = get(loop, client, path_and_query);
  if (answer.ok()) return read_status(*answer, endpoint);
  const Status failed = answer.status();
  // Its credential goes to this machine alone: a Lease is no proof of who a host is.
  const std::string elsewhere =
      leader.host.empty() ? ""
                          : "; if the leader is on another machine, run ccmctl there, or give its "
                            "certificate with --certificate-authority=FILE --endpoint=https://" +
                                leader.host + ":" + std::to_string(leader.target.port);
  return Status(failed.code(), endpoint + ": " + failed.message() + advice(failed, elsewhere));
}

Result<nlohmann::json> ask_pod(const ManagerOptions& options, const Leader& leader,
                               const std::string& path_and_query) {
  const PodPort& target = leader.target;
  const std::string who = "the leader, Pod " + target.namespace_name + "/" + target.pod;
  auto api = user_for(options, "");
  if (!api.ok()) return api.status();
  asio::io_context loop;
  PodTunnel tunnel(loop, *std::move(api), target, std::chrono::seconds(options.timeout_seconds));
  if (Status status = run(loop, tunnel.open()); !status.ok()) {
    return Status(status.code(), who + ": " + status.message() + tunnel_advice(status, target));
  }
  auto config = user_for_leader(options, tunnel.endpoint(), leader.fingerprint);
  if (!config.ok()) return config.status();
  const kube::Client client = client_for(loop, *std::move(config), options);
  if (Status status = client.check(); !status.ok()) return status;
  const Result<std::string> answer = get(loop, client, path_and_query);
  if (answer.ok()) return read_status(*answer, who);
  const Status failed = tunnel.failure().ok() ? answer.status() : tunnel.failure();
  return Status(failed.code(), who + ": " + failed.message() + advice(failed, {}));
}

}  // namespace

void add_cluster_options(CLI::App& command, ManagerOptions& options) {
  command
      .add_option("--kubeconfig", options.kubeconfig,
                  "The kubeconfig of the user who asks; default: $KUBECONFIG, else ~/.kube/config")
      ->type_name("FILE");
  command.add_option("--context", options.context, "Context of the kubeconfig")->type_name("NAME");
  command.add_option("--request-timeout", options.timeout_seconds, "Seconds to wait")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
}

void add_manager_options(CLI::App& command, ManagerOptions& options) {
  command
      .add_option("--endpoint", options.endpoint,
                  "A manager's secure port; default: the leader's, through the API server, or on "
                  "this machine when its Pod is not found, or https://127.0.0.1:10258")
      ->type_name("URL");
  command
      .add_option("--lease", options.lease, "The Lease that names the leader, without --endpoint")
      ->capture_default_str()
      ->type_name("NAMESPACE/NAME");
  add_cluster_options(command, options);
  command
      .add_option("--certificate-authority", options.certificate_authority,
                  "Certificate authority for the manager's certificate; default: the kubeconfig's")
      ->type_name("FILE");
  command
      .add_option("--tls-server-name", options.tls_server_name,
                  "Name in the manager's certificate; default: the endpoint's host")
      ->type_name("NAME");
  command.add_flag("--insecure-skip-tls-verify", options.insecure,
                   "Do not check the manager's certificate: whoever answers gets the credential");
}

Result<nlohmann::json> ask_manager(const ManagerOptions& options,
                                   const std::string& path_and_query) {
  if (!options.endpoint.empty()) return ask_endpoint(options, path_and_query);
  const auto leader = find_leader(options);
  std::string why = leader.status().message();
  if (leader.ok()) {
    if (!leader->target.pod.empty()) return ask_pod(options, *leader, path_and_query);
    auto answer = ask_here(options, *leader, path_and_query);
    if (answer.ok()) return answer;
    why = leader->no_pod + "; " + answer.status().message();
  }
  // Another manager on this machine, which may be a standby.
  ManagerOptions local = options;
  local.endpoint = kLocalEndpoint;
  auto answer = ask_endpoint(local, path_and_query);
  const Status failed = answer.status();
  if (failed.ok() || failed.message() == why) return answer;
  return Status(failed.code(), "the leader cannot be asked through the API server: " + why +
                                   "; and " + failed.message());
}

Result<kube::ClientConfig> cluster_config(const ManagerOptions& options) {
  return user_for(options, "");
}

Result<nlohmann::json> ask_cluster(const ManagerOptions& options,
                                   const std::string& path_and_query) {
  auto config = cluster_config(options);
  if (!config.ok()) return config.status();
  asio::io_context loop;
  const kube::Client client = client_for(loop, *std::move(config), options);
  if (Status status = client.check(); !status.ok()) return status;
  const Result<std::string> answer = get(loop, client, path_and_query);
  if (!answer.ok()) return answer.status();
  auto json = nlohmann::json::parse(*answer, nullptr, false);
  if (!json.is_object()) {
    return Status(Code::data_loss, "the API server's answer is no JSON object");
  }
  return json;
}

// Without the credential, since a refusal has a date, too.
Result<std::string> ask_date(const ManagerOptions& options) {
  const auto config = cluster_config(options);
  if (!config.ok()) return config.status();
  net::ClientOptions http;
  http.tls.ca_pem = config->ca_data;
  if (http.tls.ca_pem.empty() && !config->ca_file.empty()) {
    auto authority = kube::read_file(config->ca_file);
    if (!authority.ok()) return authority.status();
    http.tls.ca_pem = *std::move(authority);
  }
  http.tls.server_name = config->tls_server_name;
  http.tls.insecure_skip_verify = config->insecure_skip_tls_verify;
  http.proxy_url = config->proxy_url;
  net::Request request;
  request.url = config->server + "/version";
  request.timeout = std::chrono::seconds(options.timeout_seconds);
  asio::io_context loop;
  net::HttpClient client(loop.get_executor(), std::move(http));
  const auto answer = run(loop, client.send(std::move(request)));
  if (!answer.ok()) return answer.status();
  return std::string(answer->header("date"));
}

}  // namespace ccm::ctl
