#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sandbox {

struct ServerOptions {
  std::string directory = ".";
  std::uint16_t port = 0;
  std::uint16_t cloud_port = 0;
  bool apiserver = true;
  bool cloud = true;
  std::string replay;  // a file of exchanges to answer from; empty: none
  std::uint16_t replay_port = 0;
  std::string token;        // empty: random
  std::string cloud_token;  // empty: random
  std::size_t history = 1000;
  bool coordinated_leader_election = false;
  int nodes = 0;  // uninitialized nodes, and machines of the same names
};

// Both servers of ccm-sandbox on one event loop.
class SandboxServer {
 public:
  // Listens, fills in the first objects and writes kubeconfig, cloud.json and, last, ready into
  // the directory. Throws std::exception with a message for the user.
  explicit SandboxServer(const ServerOptions& options);
  ~SandboxServer();

  // "" for a server that is off.
  const std::string& server_url() const;
  const std::string& cloud_url() const;
  const std::string& replay_url() const;

  // Serves until SIGTERM, SIGINT or stop().
  void run();
  // From any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sandbox
