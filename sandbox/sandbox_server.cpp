#include "sandbox_server.hpp"

#include "api/api_server.hpp"
#include "api/continue_token.hpp"
#include "api/coordinator.hpp"
#include "api/resource.hpp"
#include "cloud/cloud_server.hpp"
#include "http/listener.hpp"
#include "http/tls.hpp"
#include "replay/replay_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace sandbox {
namespace {

namespace asio = boost::asio;

// Readers never see half a file.
void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path fresh = path.string() + ".new";
  std::ofstream file(fresh, std::ios::trunc);
  std::filesystem::permissions(
      fresh, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  std::filesystem::rename(fresh, path);
}

std::string base64(const std::string& bytes) {
  std::string text = base64url_encode(bytes);
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string kubeconfig(const std::string& url, const std::string& ca_pem,
                       const std::string& token) {
  return "apiVersion: v1\nkind: Config\nclusters:\n- name: sandbox\n  cluster:\n    server: " +
         url + "\n    certificate-authority-data: " + base64(ca_pem) +
         "\nusers:\n- name: admin\n  user:\n    token: " + token +
         "\ncontexts:\n- name: sandbox\n  context:\n    cluster: sandbox\n    user: admin\n"
         "current-context: sandbox\n";
}

}  // namespace

// The io_context is destroyed first: connections refer to everything declared before it.
struct SandboxServer::Impl {
  explicit Impl(const ServerOptions& options);

  void start_apiserver(const ServerOptions& options);
  void start_cloud(const ServerOptions& options);
  void coordinate();
  void start_replay(const ServerOptions& options);
  void write_ready(const std::filesystem::path& directory);

  std::optional<ApiServer> api;
  std::optional<cloud::CloudServer> cloud;
  std::optional<replay::ReplayServer> replay;
  std::optional<asio::ssl::context> tls;
  std::string server_url, cloud_url, replay_url;
  asio::io_context context{1};
  asio::signal_set signals{context, SIGINT, SIGTERM};
  std::optional<http::Listener> api_listener, cloud_listener, replay_listener;
  std::optional<Coordinator> coordinator;
  asio::steady_timer coordinator_timer{context};
};

SandboxServer::Impl::Impl(const ServerOptions& options) {
  std::filesystem::path directory = options.directory;
  std::filesystem::create_directories(directory);
  std::filesystem::remove(directory / "ready");
  if (options.apiserver) start_apiserver(options);
  if (options.cloud) start_cloud(options);
  if (!options.replay.empty()) start_replay(options);
  write_ready(directory);
}

void SandboxServer::Impl::start_apiserver(const ServerOptions& options) {
  if (options.coordinated_leader_election) enable_coordinated_leader_election();
  http::ServingIdentity identity = http::make_serving_identity();
  tls.emplace(http::make_tls_context(identity));
  api.emplace(ApiServer::Options{options.token, options.history});
  api->add_uninitialized_nodes(options.nodes, "node-");
  api_listener.emplace(context, options.port, &*tls, *api);
  server_url = "https://127.0.0.1:" + std::to_string(api_listener->port());
  write_file(std::filesystem::path(options.directory) / "kubeconfig",
             kubeconfig(server_url, identity.ca_pem, api->admin_token()));
  api_listener->start();
  if (!options.coordinated_leader_election) return;
  coordinator.emplace(api->store(), api->writer());
  coordinate();
}

void SandboxServer::Impl::coordinate() {
  constexpr std::chrono::milliseconds kPeriod{500};
  coordinator->step(now());
  coordinator_timer.expires_after(kPeriod);
  coordinator_timer.async_wait([this](boost::system::error_code error) {
    if (!error) coordinate();
  });
}

void SandboxServer::Impl::start_cloud(const ServerOptions& options) {
  cloud.emplace(options.cloud_token);
  cloud->generate_machines(options.nodes, "node-", "running");
  cloud_listener.emplace(context, options.cloud_port, nullptr, *cloud);
  cloud_url = "http://127.0.0.1:" + std::to_string(cloud_listener->port());
  nlohmann::json config = {{"endpoint", cloud_url}, {"token", cloud->token()}};
  write_file(std::filesystem::path(options.directory) / "cloud.json", config.dump(2) + "\n");
  cloud_listener->start();
}

void SandboxServer::Impl::start_replay(const ServerOptions& options) {
  replay.emplace(options.replay);
  replay_listener.emplace(context, options.replay_port, nullptr, *replay);
  replay_url = "http://127.0.0.1:" + std::to_string(replay_listener->port());
  replay->set_url(replay_url);
  replay_listener->start();
}

void SandboxServer::Impl::write_ready(const std::filesystem::path& directory) {
  nlohmann::json ready = {{"pid", getpid()}};
  if (api) ready["server"] = server_url;
  if (cloud) ready["cloud"] = cloud_url;
  if (replay) ready["replay"] = replay_url;
  write_file(directory / "ready", ready.dump() + "\n");
}

SandboxServer::SandboxServer(const ServerOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}

SandboxServer::~SandboxServer() = default;

const std::string& SandboxServer::server_url() const { return impl_->server_url; }
const std::string& SandboxServer::cloud_url() const { return impl_->cloud_url; }
const std::string& SandboxServer::replay_url() const { return impl_->replay_url; }

void SandboxServer::run() {
  impl_->signals.async_wait([this](boost::system::error_code error, int) {
    if (!error) impl_->context.stop();
  });
  impl_->context.run();
}

void SandboxServer::stop() { impl_->context.stop(); }

}  // namespace sandbox
