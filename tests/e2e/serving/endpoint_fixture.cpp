#include "endpoint_fixture.hpp"

#include "support/eventually.hpp"
#include "support/nodes.hpp"

#include <iostream>
#include <stdexcept>

namespace ccm::e2e {

using nlohmann::json;

namespace {

constexpr const char* kAccounts = "/api/v1/namespaces/default/serviceaccounts";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kLease = "cloud-controller-manager";
constexpr const char* kRbac = "/apis/rbac.authorization.k8s.io/v1";

constexpr const char* kRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:cloud-controller-manager";

json subject(const std::string& space, const std::string& name) {
  return {{"kind", "ServiceAccount"}, {"namespace", space}, {"name", name}};
}

json must(const support::KubeResponse& response, const std::string& what) {
  if (!response.ok()) throw std::runtime_error(what + ": " + response.http.body);
  return response.body;
}

}  // namespace

EndpointTest::EndpointTest()
    : server_(folder_.path()), cloud_(folder_.path()), api_(server_.client()) {
  scraper_ = make_account("scraper");
  nobody_ = make_account("nobody");
  if (real()) {
    bind("scraper", "system:monitoring", subject("default", "scraper"));
    return;
  }
  // The sandbox allows what it does not forbid.
  deny(json::array({{{"user", "system:serviceaccount:default:nobody"}}}));
}

EndpointTest::~EndpointTest() {
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

void EndpointTest::join(const std::string& name) {
  cloud_.control("PUT", "/machines/m-" + name, {{"id", "m-" + name}, {"name", name}});
  const auto created = api_.create("/api/v1/nodes", support::uninitialised_node(name, ""));
  ASSERT_EQ(created.status, 201) << created.http.body;
}

bool EndpointTest::initialised(const std::string& name) {
  return support::eventually(support::patience(), [&] {
    const json spec = api_.get("/api/v1/nodes/" + name).body.at("spec");
    for (const json& taint : spec.value("taints", json::array())) {
      if (taint.at("key") == support::kUninitializedTaint) return false;
    }
    return spec.contains("providerID");
  });
}

void EndpointTest::make_machine(const std::string& name) {
  cloud_.control("PUT", "/machines/" + name, {{"name", name}});
}

void EndpointTest::make_node(const std::string& name, bool ready) {
  ASSERT_TRUE(api_.create("/api/v1/nodes", {{"apiVersion", "v1"},
                                            {"kind", "Node"},
                                            {"metadata", {{"name", name}}},
                                            {"spec", {{"providerID", "sandbox://" + name}}}})
                  .ok());
  const json condition = {{"type", "Ready"}, {"status", ready ? "True" : "Unknown"}};
  ASSERT_TRUE(api_.patch("/api/v1/nodes/" + name + "/status", support::kMergePatch,
                         {{"status", {{"conditions", json::array({condition})}}}})
                  .ok());
}

std::string EndpointTest::load_balancer_of(const std::string& service) {
  const json shown = api_.get("/api/v1/namespaces/default/services/" + service).body;
  const json::json_pointer recorded(
      "/metadata/annotations/cloud-controller-manager~1load-balancer-id");
  return shown.contains(recorded) ? shown.at(recorded).get<std::string>() : std::string();
}

void EndpointTest::delete_two_load_balancers(const std::string& service) {
  for (const char* made : {"lb-1", "lb-2"}) {
    ASSERT_TRUE(support::eventually(support::patience(), [&] {
      return load_balancer_of(service) == made;
    })) << load_balancer_of(service);
    cloud_.control("DELETE", std::string("/load_balancers/") + made);
  }
}

void EndpointTest::make_service(const std::string& name) {
  const json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", name}}},
      {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", 80}}})}}}};
  must(api_.create("/api/v1/namespaces/default/services", service), name);
}

void EndpointTest::deny(const json& rules) {
  support::HttpRequest request;
  request.method = "PUT";
  request.target = "/sandbox/deny";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = rules.dump();
  must(api_.send(request), "deny");
}

void EndpointTest::set_rules(const json& rules) {
  must(api_.patch(kRole, support::kMergePatch, {{"rules", rules}}), "rules");
}

void EndpointTest::take_rule() {
  if (!real()) {
    deny(json::array({{{"verb", "patch"}, {"resource", "services"}, {"subresource", "status"}}}));
    return;
  }
  server_.manager_kubeconfig();  // gives the usual rights
  rules_ = api_.get(kRole).body.at("rules");
  json left = json::array();
  for (const json& rule : rules_) {
    if (rule.at("resources") != json::array({"services/status"})) left.push_back(rule);
  }
  ASSERT_EQ(left.size() + 1, rules_.size());
  set_rules(left);
}

void EndpointTest::give_rule_back() {
  if (real()) {
    set_rules(rules_);
  } else {
    deny(json::array());
  }
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

void EndpointTest::launch(const std::string& reviews, const std::vector<std::string>& flags) {
  std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                      "--kubeconfig=" + server_.manager_kubeconfig().string(),
                                      "--cloud-provider=sandbox",
                                      "--cloud-config=" + cloud_.config().string(),
                                      "--controllers=cloud-node-controller",
                                      "--bind-address=127.0.0.1",
                                      "--secure-port=" + std::to_string(port()),
                                      "--permit-port-sharing=true",
                                      "--cert-dir=" + (folder_.path() / "serving").string()};
  if (!reviews.empty()) {
    command.push_back("--authentication-kubeconfig=" + reviews);
    command.push_back("--authorization-kubeconfig=" + reviews);
  }
  command.insert(command.end(), flags.begin(), flags.end());
  const auto log = folder_.path() / ("manager" + std::to_string(++runs_) + ".log");
  support::ProcessOptions options{log, {{"KUBECONFIG", ""}, {"HOME", ""}}};
  options.environment.insert(environment_.begin(), environment_.end());
  manager_ = std::make_unique<support::Process>(command, options);
}

void EndpointTest::hold_lease(const std::string& holder) {
  must(api_.create(kLeases, {{"apiVersion", "coordination.k8s.io/v1"},
                             {"kind", "Lease"},
                             {"metadata", {{"name", kLease}}},
                             {"spec",
                              {{"holderIdentity", holder},
                               {"leaseDurationSeconds", 3600},
                               {"acquireTime", "2026-01-01T00:00:00.000000Z"},
                               {"renewTime", "2026-01-01T00:00:00.000000Z"},
                               {"leaseTransitions", 1}}}}),
       "lease");
}

void EndpointTest::free_lease() { must(api_.remove(std::string(kLeases) + "/" + kLease), "lease"); }

bool EndpointTest::logs(const std::string& text) {
  return support::eventually(support::patience(),
                             [&] {
                               return manager_->log().find(text) != std::string::npos ||
                                      !manager_->running();
                             }) &&
         manager_->log().find(text) != std::string::npos;
}

void EndpointTest::start(const std::string& reviews, std::vector<std::string> flags) {
  launch(reviews, flags);
  const bool answers = support::eventually(support::patience(), [this] {
    if (!manager_->running()) return true;
    try {
      return ask("/readyz").status == 200 &&
             manager_->log().find("\"Leading\"") != std::string::npos;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (!answers) throw std::runtime_error("the manager does not answer:\n" + manager_->log());
}

std::string EndpointTest::kubeconfig_of(const std::string& token) {
  const json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters",
       json::array({{{"name", "c"}, {"cluster", {{"server", "https://unused.example"}}}}})},
      {"users", json::array({{{"name", "u"}, {"user", {{"token", token}}}}})},
      {"contexts", json::array({{{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}})},
      {"current-context", "x"}};
  const auto file = folder_.path() / ("user" + std::to_string(++runs_) + ".kubeconfig");
  support::write_file(file, kubeconfig.dump());
  return file;
}

EndpointTest::Output EndpointTest::ctl(std::vector<std::string> arguments,
                                       const std::string& kubeconfig) {
  std::vector<std::string> command = {support::program("CCM_CTL", CCM_CTL_PROGRAM)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  for (const std::string& flag : {"--kubeconfig=" + kubeconfig, "--endpoint=" + endpoint(),
                                  "--certificate-authority=" + certificate()}) {
    command.push_back(flag);
  }
  const auto log = folder_.path() / ("ccmctl" + std::to_string(++runs_) + ".log");
  support::Process process(command, {log, {{"KUBECONFIG", ""}, {"HOME", ""}}});
  const auto ended = process.wait(support::patience());
  return {ended ? ended->code : -1, process.log()};
}

support::HttpResponse EndpointTest::send(support::Credentials credentials,
                                         const support::HttpRequest& request) {
  credentials.server = endpoint();
  credentials.ca_pem = support::read_file(certificate());
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
