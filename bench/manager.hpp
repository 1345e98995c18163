// The manager under measurement as a child process, and the servers that it works on.
#pragma once

#include "bare_client.hpp"
#include "clock.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::bench {

struct ManagerSettings {
  std::string kubeconfig;          // the administrator's: may create and delete
  std::string manager_kubeconfig;  // the manager's identity, and a yardstick's
  std::string program;             // cloud-controller-manager
  std::string provider = "sandbox";
  std::string cloud_config;        // of the cloud
  std::string log;                 // where its log goes
  std::vector<std::string> flags;  // further ones

  void add_options(CLI::App& app);
};

std::string read_file(const std::string& path);

// Processor time that a process has used, in user space and in the kernel.
double cpu_seconds(int pid);

// Where a kubeconfig leads, with its credentials. Throws std::runtime_error.
Server server_of(const std::string& kubeconfig);

// Returns when there is no Node any more. Throws std::runtime_error after ten minutes.
void delete_nodes(const Server& admin);

// One process, killed at the end of its life. One thread at a time. Throws std::runtime_error.
class Manager {
 public:
  explicit Manager(ManagerSettings settings);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  void send(int signal) const;
  // Sends the signal and waits for the end.
  void end(int signal);
  [[nodiscard]] bool ended();
  // Seconds from its start until its log holds all these texts.
  [[nodiscard]] double await_log(const std::vector<std::string>& texts) const;
  // Returns when `done` says so, which is asked every 50 ms. `what` names it in the error when the
  // manager ends or ten minutes pass before.
  void await(const std::string& what, const std::function<bool()>& done);

  [[nodiscard]] double cpu_seconds() const;
  // A field of /proc/PID/status: "VmRSS:" (resident), "RssAnon:" (of it, what is the process' own),
  // "VmHWM:" (the highest that VmRSS was).
  [[nodiscard]] double megabytes(std::string_view field) const;

 private:
  ManagerSettings settings_;
  Clock::time_point start_;
  int pid_ = 0;
};

}  // namespace ccm::bench
