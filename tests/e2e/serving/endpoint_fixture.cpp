#include "endpoint_fixture.hpp"

#include "support/eventually.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

namespace ccm::e2e {

using nlohmann::json;

namespace {

constexpr const char* kAccounts = "/api/v1/namespaces/default/serviceaccounts";
constexpr const char* kRbac = "/apis/rbac.authorization.k8s.io/v1";

json subject(const std::string& space, const std::string& name) {
  return {{"kind", "ServiceAccount"}, {"namespace", space}, {"name", name}};
}

json must(const support::KubeResponse& response, const std::string& what) {
  if (!response.ok()) throw std::runtime_error(what + ": " + response.http.body);
  return response.body;
}

// A port that nobody else gets: a socket is bound to it that lets others share it.
int reserve_port(int* descriptor) {
  *descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(*descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool good =
      ::bind(*descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::getsockname(*descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!good) throw std::runtime_error("no port is free");
  return ntohs(address.sin_port);
}

}  // namespace

EndpointTest::EndpointTest()
    : server_(folder_.path()), cloud_(folder_.path()), api_(server_.client()) {
  port_ = reserve_port(&reserved_);
  scraper_ = make_account("scraper");
  nobody_ = make_account("nobody");
  if (real()) {
    const json manager = subject("kube-system", "cloud-controller-manager");
    bind("ccm-auth-delegator", "system:auth-delegator", manager);
    bind("scraper", "system:monitoring", subject("default", "scraper"));
    return;
  }
  // The sandbox allows what it does not forbid.
  support::HttpRequest request;
  request.method = "PUT";
  request.target = "/sandbox/deny";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json::array({{{"user", "system:serviceaccount:default:nobody"}}}).dump();
  must(api_.send(request), "deny");
}

EndpointTest::~EndpointTest() {
  ::close(reserved_);
  if (!HasFailure()) return;
  if (manager_) std::cerr << manager_->log();
  folder_.keep();
}

std::string EndpointTest::make_account(const std::string& name) {
  must(api_.create(
           kAccounts,
           {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", name}}}}),
       name);
  const json answer = must(api_.create(std::string(kAccounts) + "/" + name + "/token",
                                       {{"apiVersion", "authentication.k8s.io/v1"},
                                        {"kind", "TokenRequest"},
                                        {"spec", {{"expirationSeconds", 3600}}}}),
                           "token of " + name);
  return answer.at("status").at("token");
}

void EndpointTest::bind(const std::string& name, const std::string& role, const json& whom) {
  must(
      api_.create(
          std::string(kRbac) + "/clusterrolebindings",
          {{"apiVersion", "rbac.authorization.k8s.io/v1"},
           {"kind", "ClusterRoleBinding"},
           {"metadata", {{"name", name}}},
           {"subjects", json::array({whom})},
           {"roleRef",
            {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}}}),
      name);
}

std::string EndpointTest::reviews_through_proxy() {
  proxy_ = std::make_unique<ApiProxy>(support::read_kubeconfig(server_.kubeconfig()));
  const json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", json::array({{{"name", "proxy"}, {"cluster", {{"server", proxy_->server()}}}}})},
      {"users", json::array({{{"name", "manager"}, {"user", json::object()}}})},
      {"contexts", json::array({{{"name", "proxy"},
                                 {"context", {{"cluster", "proxy"}, {"user", "manager"}}}}})},
      {"current-context", "proxy"}};
  const auto file = folder_.path() / "reviews.kubeconfig";
  support::write_file(file, kubeconfig.dump());
  return file;
}

void EndpointTest::start(const std::string& reviews, std::vector<std::string> flags) {
  std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                      "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                      "--cloud-provider=sandbox",
                                      "--cloud-config=" + cloud_.config().string(),
                                      "--controllers=cloud-node-controller",
                                      "--bind-address=127.0.0.1",
                                      "--secure-port=" + std::to_string(port_),
                                      "--permit-port-sharing=true",
                                      "--cert-dir=" + (folder_.path() / "serving").string()};
  if (!reviews.empty()) {
    command.push_back("--authentication-kubeconfig=" + reviews);
    command.push_back("--authorization-kubeconfig=" + reviews);
  }
  command.insert(command.end(), flags.begin(), flags.end());
  const support::ProcessOptions options{folder_.path() / "manager.log",
                                        {{"KUBECONFIG", ""}, {"HOME", ""}}};
  manager_ = std::make_unique<support::Process>(command, options);
  const bool answers = support::eventually(support::patience(), [this] {
    if (!manager_->running()) return true;
    try {
      return ask("/readyz").status == 200 &&
             manager_->log().find("\"leading\"") != std::string::npos;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (!answers) throw std::runtime_error("the manager does not answer:\n" + manager_->log());
}

support::HttpResponse EndpointTest::send(support::Credentials credentials,
                                         const support::HttpRequest& request) {
  credentials.server = "https://127.0.0.1:" + std::to_string(port_);
  credentials.ca_pem =
      support::read_file(folder_.path() / "serving" / "cloud-controller-manager.crt");
  return support::HttpClient(std::move(credentials)).send(request);
}

support::HttpResponse EndpointTest::ask(const std::string& target, const std::string& token,
                                        const std::string& method, const std::string& body) {
  support::Credentials credentials;
  credentials.token = token;
  support::HttpRequest request;
  request.method = method;
  request.target = target;
  request.body = body;
  return send(std::move(credentials), request);
}

support::HttpResponse EndpointTest::ask_as(const std::string& certificate, const std::string& key,
                                           const std::string& target) {
  support::Credentials credentials;
  credentials.client_certificate = certificate;
  credentials.client_key = key;
  support::HttpRequest request;
  request.target = target;
  return send(std::move(credentials), request);
}

support::HttpResponse EndpointTest::ask_with(support::Credentials credentials,
                                             const std::string& target, const std::string& accept) {
  support::HttpRequest request;
  request.target = target;
  request.headers = {{"Accept", accept}};
  return send(std::move(credentials), request);
}

}  // namespace ccm::e2e
