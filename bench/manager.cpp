#include "manager.hpp"

#include "kube/config.hpp"
#include "net/url.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace ccm::bench {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kLongestWork = std::chrono::minutes(10);

// Inline data, else the file's content.
std::string text_of(const std::string& data, const std::string& file) {
  return !data.empty() || file.empty() ? data : read_file(file);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

double cpu_seconds(int pid) {
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  double ticks = 0;
  for (int i = 3; fields >> field; ++i) {
    if (i == 14 || i == 15) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void ManagerSettings::add_options(CLI::App& app) {
  app.add_option("--kubeconfig", kubeconfig, "the administrator's")->required();
  app.add_option("--manager-kubeconfig", manager_kubeconfig, "the manager's identity")->required();
  app.add_option("--manager", program, "cloud-controller-manager")->required();
  app.add_option("--cloud-config", cloud_config, "of the cloud")->required();
  app.add_option("--log", log, "where the manager's log goes")->required();
}

Server server_of(const std::string& kubeconfig) {
  const auto config = kube::load_kubeconfig(kubeconfig);
  if (!config.ok()) throw std::runtime_error(config.status().message());
  const auto url = net::parse_url(config->server);
  if (!url.ok()) throw std::runtime_error(url.status().message());
  return Server{url->host,
                std::to_string(url->port),
                text_of(config->ca_data, config->ca_file),
                text_of(config->token, config->token_file),
                text_of(config->client_certificate_data, config->client_certificate_file),
                text_of(config->client_key_data, config->client_key_file)};
}

// A busy API server may end the deletion of thousands before it is through.
void delete_nodes(const Server& admin) {
  const auto limit = Clock::now() + std::chrono::minutes(10);
  const BareRequest first = {"GET", "/api/v1/nodes?limit=1", "", ""};
  while (!nlohmann::json::parse(send_one(admin, first)).at("items").empty()) {
    if (Clock::now() > limit) throw std::runtime_error("the Nodes were not deleted");
    try {
      send_one(admin, {"DELETE", "/api/v1/nodes", "", ""});
    } catch (const std::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

Manager::Manager(ManagerSettings settings) : settings_(std::move(settings)), start_(Clock::now()) {
  std::vector<std::string> words = {settings_.program,
                                    "--kubeconfig=" + settings_.manager_kubeconfig,
                                    "--cloud-provider=" + settings_.provider,
                                    "--cloud-config=" + settings_.cloud_config, "--secure-port=0"};
  words.insert(words.end(), settings_.flags.begin(), settings_.flags.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, settings_.log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  // The bench's own connections to the API server would count as the manager's.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  const int error =
      posix_spawn(&pid_, settings_.program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(settings_.program + " cannot be started");
}

Manager::~Manager() { end(SIGKILL); }

void Manager::send(int signal) const { kill(pid_, signal); }

void Manager::end(int signal) {
  if (pid_ == 0) return;
  kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

bool Manager::ended() {
  if (pid_ != 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ == 0;
}

double Manager::await_log(const std::vector<std::string>& texts) const {
  while (Clock::now() - start_ < kPatience) {
    const std::string log = read_file(settings_.log);
    const bool all = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return log.find(text) != std::string::npos;
    });
    if (all) return seconds_since(start_);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw std::runtime_error("not in " + settings_.log + ": " + texts.back());
}

void Manager::await(const std::string& what, const std::function<bool()>& done) {
  const auto limit = Clock::now() + kLongestWork;
  while (!done()) {
    if (ended() || Clock::now() > limit) {
      throw std::runtime_error("not reached: " + what + "; the manager's log is " + settings_.log);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

double Manager::cpu_seconds() const { return bench::cpu_seconds(pid_); }

double Manager::megabytes(std::string_view field) const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}

}  // namespace ccm::bench
