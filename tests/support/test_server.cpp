#include "support/test_server.hpp"

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/manifests.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ccm::support {

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> server_command(ServerKind kind, const fs::path& directory,
                                        const std::vector<std::string>& flags) {
  std::vector<std::string> command{kind == ServerKind::kSandbox
                                       ? program("CCM_SANDBOX", CCM_SANDBOX_PROGRAM)
                                       : program("CCM_KUBE_APISERVER", CCM_KUBE_APISERVER_PROGRAM),
                                   "--directory", directory.string()};
  if (kind == ServerKind::kSandbox) command.push_back("--no-cloud");
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

Credentials plain(const std::string& server) {
  Credentials credentials;
  credentials.server = server;
  return credentials;
}

std::string tail(const std::string& text) {
  constexpr std::size_t kLength = 4000;
  return text.size() <= kLength ? text : "..." + text.substr(text.size() - kLength);
}

}  // namespace

ServerKind server_kind() {
  const char* value = std::getenv("CCM_TEST_SERVER");
  const std::string name = value != nullptr ? value : "sandbox";
  if (name == "sandbox") return ServerKind::kSandbox;
  if (name == "kube-apiserver") return ServerKind::kKubeApiserver;
  throw std::runtime_error("CCM_TEST_SERVER is \"" + name + "\", not sandbox or kube-apiserver");
}

std::string program(const char* variable, const char* built) {
  const char* named = std::getenv(variable);
  const std::string path = named != nullptr && *named != '\0' ? named : built;
  if (path.empty()) throw std::runtime_error(std::string(variable) + " must name a program");
  return path;
}

fs::path plugin_folder() {
  const fs::path manager = program("CCM_MANAGER", CCM_MANAGER_PROGRAM);
  return manager.parent_path().parent_path() / "lib" / "ccm";
}

ReadyServer::ReadyServer(const std::vector<std::string>& command, const fs::path& directory)
    : directory_(directory) {
  fs::create_directories(directory);
  const fs::path ready = directory / "ready";
  fs::remove(ready);
  process_ = std::make_unique<Process>(command, ProcessOptions{directory / "log", {}});
  const bool answered = eventually(std::chrono::minutes(3), [&] {
    if (!process_->running()) return true;
    if (!fs::exists(ready)) return false;
    ready_ = json::parse(read_file(ready), nullptr, false);
    return ready_.is_object();
  });
  if (!answered || !process_->running()) {
    throw std::runtime_error(command.at(0) + (answered ? " ended" : " is not ready") + ":\n" +
                             tail(process_->log()));
  }
}

TestServer::TestServer(const fs::path& directory, const std::vector<std::string>& flags)
    : kind_(server_kind()),
      flags_(flags),
      server_(std::in_place, server_command(kind_, directory / "api", flags), directory / "api") {}

fs::path TestServer::kubeconfig() const { return server_->directory() / "kubeconfig"; }

fs::path TestServer::manager_kubeconfig() {
  if (kind_ == ServerKind::kSandbox) return kubeconfig();
  if (!rights_given_) {
    give_rights(printed_rights({"--cloud-provider=sandbox", "--controllers=*,node-ipam-controller"},
                               server_->directory()));
  }
  return server_->directory() / "manager.kubeconfig";
}

void TestServer::give_rights(const std::vector<json>& objects) {
  KubeClient api = client();
  for (const json& object : objects) apply(api, object);
  rights_given_ = true;
}

std::vector<json> printed_rights(const std::vector<std::string>& arguments,
                                 const fs::path& folder) {
  std::vector<std::string> command{program("CCM_CCMCTL", CCM_CCMCTL_PROGRAM), "rbac"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Process ccmctl(command, {folder / "rbac.yaml", {}});
  const auto ended = ccmctl.wait(patience());
  if (!ended || ended->code != 0) throw std::runtime_error("ccmctl rbac: " + ccmctl.log());
  return parse_manifests(ccmctl.log());
}

void TestServer::control(const std::string& sandbox_target, const std::string& target) {
  HttpRequest request;
  request.method = "POST";
  HttpResponse response;
  if (kind_ == ServerKind::kSandbox) {
    request.target = sandbox_target;
    response = HttpClient(read_kubeconfig(kubeconfig())).send(request);
  } else {
    request.target = target;
    response = HttpClient(plain(server_->ready().at("control"))).send(request);
  }
  if (response.status / 100 != 2) {
    throw std::runtime_error(request.target + ": " + std::to_string(response.status) + " " +
                             response.body);
  }
}

void TestServer::expire_history() { control("/sandbox/expire-history", "/expire-history"); }

void TestServer::back_up() { control("/sandbox/back-up", "/back-up"); }

void TestServer::restore() {
  if (kind_ == ServerKind::kSandbox) return control("/sandbox/restore", "");
  const fs::path folder = server_->directory();
  const std::string server = server_->ready().at("server");
  server_.reset();
  fs::remove_all(folder / "etcd");
  fs::rename(folder / "etcd.copy", folder / "etcd");
  std::vector<std::string> flags = flags_;
  flags.push_back("--port=" + server.substr(server.rfind(':') + 1));
  server_.emplace(server_command(kind_, folder, flags), folder);
}

TestCloud::TestCloud(const fs::path& directory)
    : server_({program("CCM_SANDBOX", CCM_SANDBOX_PROGRAM), "--directory",
               (directory / "cloud").string(), "--no-apiserver"},
              directory / "cloud"),
      http_(plain(server_.ready().at("cloud"))) {}

json TestCloud::control(const std::string& method, const std::string& path, const json& body) {
  HttpRequest request;
  request.method = method;
  request.target = "/control" + path;
  if (!body.is_null()) {
    request.body = body.dump();
    request.headers = {{"Content-Type", "application/json"}};
  }
  const HttpResponse response = http_.send(request);
  if (response.status / 100 != 2) {
    throw std::runtime_error(method + " " + request.target + ": " +
                             std::to_string(response.status) + " " + response.body);
  }
  return json::parse(response.body, nullptr, false);
}

void TestCloud::reset() {
  for (const char* kind : {"/machines", "/load_balancers", "/routes", "/settings"}) {
    control("DELETE", kind);
  }
  control("PUT", "/faults", json::object());
  control("PUT", "/token", {{"token", json::parse(read_file(config())).at("token")}});
  control("DELETE", "/calls");
}

json TestCloud::calls() { return control("GET", "/calls"); }

}  // namespace ccm::support
