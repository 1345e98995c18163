// The servers that the black-box suites run against: an API server, sandbox or real, and the
// sandbox cloud.
#pragma once

#include "support/kube_client.hpp"
#include "support/process.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::support {

enum class ServerKind { kSandbox, kKubeApiserver };

// From CCM_TEST_SERVER: "sandbox" (also if unset) or "kube-apiserver". Throws on anything else.
ServerKind server_kind();

// The program that environment variable names, or else the one that the build made. Throws if
// there is neither.
std::string program(const char* variable, const char* built);

// The plugins beside the manager that the suites start.
std::filesystem::path plugin_folder();

// A child process that announces itself by a JSON file named "ready" in its folder.
class ReadyServer {
 public:
  // Throws std::runtime_error with the end of the log if the process ends or is not ready in time.
  ReadyServer(const std::vector<std::string>& command, const std::filesystem::path& directory);

  const nlohmann::json& ready() const { return ready_; }
  const std::filesystem::path& directory() const { return directory_; }
  Process& process() { return *process_; }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<Process> process_;
  nlohmann::json ready_;
};

// One API server with empty contents.
class TestServer {
 public:
  // Starts the server of server_kind() in a folder below directory, with these flags of both.
  explicit TestServer(const std::filesystem::path& directory,
                      const std::vector<std::string>& flags = {});

  ServerKind kind() const { return kind_; }
  // Full rights.
  std::filesystem::path kubeconfig() const;
  // The manager's service account, which may do what `ccmctl rbac` prints for the sandbox's
  // provider and all controllers, unless give_rights() came first, and nothing else. On the
  // sandbox, which allows what it does not forbid, the same as kubeconfig().
  std::filesystem::path manager_kubeconfig();
  // Applies these objects instead: roles and bindings, and what else an operator would apply.
  void give_rights(const std::vector<nlohmann::json>& objects);
  KubeClient client() const { return KubeClient(kubeconfig()); }
  // Makes the server forget all history: from now on every older resourceVersion and continue
  // token is answered with 410.
  void expire_history();
  // Copies the server's storage; restore() puts the copy in place of it, for which the real server
  // is killed and started again: whatever was written since has never been.
  void back_up();
  void restore();

 private:
  void control(const std::string& sandbox_target, const std::string& target);

  ServerKind kind_;
  std::vector<std::string> flags_;
  std::optional<ReadyServer> server_;
  bool rights_given_ = false;
};

// The output of `ccmctl rbac` with these arguments. Throws std::runtime_error with its message.
std::vector<nlohmann::json> printed_rights(const std::vector<std::string>& arguments,
                                           const std::filesystem::path& folder);

// The sandbox cloud in a process of its own.
class TestCloud {
 public:
  explicit TestCloud(const std::filesystem::path& directory);

  // The file for --cloud-config.
  std::filesystem::path config() const { return server_.directory() / "cloud.json"; }
  // Nobody answers at its address any more.
  void stop() { server_.process().send(SIGKILL); }
  // A request to /control; throws unless it is answered with 2xx.
  nlohmann::json control(const std::string& method, const std::string& path,
                         const nlohmann::json& body = nullptr);
  // No machines, load balancers, routes, settings, faults or counted calls; the token of config()
  // is valid.
  void reset();
  // Calls since the last reset: {"total", "reads", "writes", "by_operation", "recent"}.
  nlohmann::json calls();

 private:
  ReadyServer server_;
  HttpClient http_;
};

}  // namespace ccm::support
