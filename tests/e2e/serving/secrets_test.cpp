// Known secrets go in by every way that there is; none of them may come out by any.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <map>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kExecSecret = "exec-secret-4711";
constexpr const char* kProxySecret = "proxy-secret-4712";
constexpr const char* kUrlSecret = "url-secret-4713";

class SecretsTest : public EndpointTest {
 protected:
  // Nothing of it may be in `text`, which came out at `where`.
  void expect_clean(const std::string& where, const std::string& text) const {
    for (const auto& [name, secret] : secrets_) {
      ASSERT_GE(secret.size(), 8u) << name;
      EXPECT_EQ(text.find(secret), std::string::npos) << name << " is in " << where;
    }
  }
  json cloud_file() const { return json::parse(support::read_file(cloud_.config())); }

  // The manager's own credential, handed out by a program.
  std::string exec_kubeconfig() {
    const auto own = support::read_kubeconfig(server_.manager_kubeconfig());
    json answer = {{"apiVersion", "client.authentication.k8s.io/v1"},
                   {"kind", "ExecCredential"},
                   {"status", json::object()}};
    if (!own.token.empty()) {
      answer["status"]["token"] = own.token;
      secrets_["the kubeconfig's token"] = own.token;
    } else {
      answer["status"]["clientCertificateData"] = own.client_certificate;
      answer["status"]["clientKeyData"] = own.client_key;
      secrets_["the client's key"] = own.client_key.substr(40, 40);
    }
    const auto file = folder_.path() / "credential.json";
    support::write_file(file, answer.dump());
    const auto ca = folder_.path() / "api-ca.crt";
    support::write_file(ca, own.ca_pem);
    const json exec = {{"apiVersion", "client.authentication.k8s.io/v1"},
                       {"command", "/bin/cat"},
                       {"args", json::array({file.string()})},
                       {"interactiveMode", "Never"},
                       {"env", json::array({{{"name", "PASSWORD"}, {"value", kExecSecret}}})}};
    const json kubeconfig = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters",
         json::array(
             {{{"name", "c"},
               {"cluster", {{"server", own.server}, {"certificate-authority", ca.string()}}}}})},
        {"users", json::array({{{"name", "u"}, {"user", {{"exec", exec}}}}})},
        {"contexts",
         json::array({{{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}})},
        {"current-context", "x"}};
    const auto path = folder_.path() / "exec.kubeconfig";
    support::write_file(path, kubeconfig.dump());
    secrets_["a variable of the exec program"] = kExecSecret;
    return path;
  }

  // Runs a manager with these flags until its log has `part`; returns the log.
  std::string log_of(const std::vector<std::string>& flags,
                     const std::map<std::string, std::string>& environment,
                     const std::string& part) {
    std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--cloud-provider=sandbox",
                                        "--secure-port=0",
                                        "--v=10",
                                        "--controllers=cloud-node-controller",
                                        "--leader-elect=false"};
    command.insert(command.end(), flags.begin(), flags.end());
    support::Process process(command, {folder_.path() / "other.log", environment});
    EXPECT_TRUE(eventually(patience(), [&] {
      return process.log().find(part) != std::string::npos || !process.running();
    }));
    process.stop();
    return process.log();
  }

  std::map<std::string, std::string> secrets_;
};

TEST_F(SecretsTest, NoSecretComesOutOfARunningManager) {
  secrets_["the cloud's token"] = cloud_file().at("token").get<std::string>();
  secrets_["a token of a client"] = scraper();
  cloud_.control("PUT", "/faults",
                 {{"operations", {{"CreateLoadBalancer", "error"}}}, {"status", 401}});
  start(reviews(),
        {"--kubeconfig=" + exec_kubeconfig(), "--controllers=service-lb-controller", "--v=10"});
  const json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", "web"}}},
      {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", 80}}})}}}};
  ASSERT_TRUE(api_.create("/api/v1/namespaces/default/services", service).ok());
  const std::string events = "/api/v1/namespaces/default/events";
  ASSERT_TRUE(eventually(patience(), [&] {
    return api_.get(events).http.body.find("SyncLoadBalancerFailed") != std::string::npos;
  }));
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
  const support::Credentials admin = support::read_kubeconfig(server_.kubeconfig());
  for (const char* page : {"/metrics", "/configz", "/flagz", "/statusz"}) {
    for (const char* accept : {"*/*", "application/json", "text/html"}) {
      const auto answer = ask_with(admin, page, accept);
      EXPECT_EQ(answer.status, 200) << page;
      expect_clean(page, answer.body);
    }
  }
  expect_clean("ccmctl status", ctl({"status", "-o", "json"}, server_.kubeconfig()).text);
  const Output explained = ctl({"explain", "service/default/web"}, server_.kubeconfig());
  EXPECT_NE(explained.text.find("class auth"), std::string::npos) << explained.text;
  expect_clean("ccmctl explain", explained.text);
  expect_clean("an error of ccmctl", ctl({"status"}, kubeconfig_of(nobody())).text);
  expect_clean("the Events", api_.get(events).http.body);
  expect_clean("the log", manager_->log());
}

TEST_F(SecretsTest, AProxyThatIsNotThereKeepsItsPassword) {
  json kubeconfig = json::parse(support::read_file(exec_kubeconfig()));
  kubeconfig["clusters"][0]["cluster"]["proxy-url"] =
      "http://user:" + std::string(kProxySecret) + "@127.0.0.1:9";
  const auto file = folder_.path() / "proxy.kubeconfig";
  support::write_file(file, kubeconfig.dump());
  secrets_["the password of the API server's proxy"] = kProxySecret;
  const std::string log =
      log_of({"--kubeconfig=" + file.string(), "--cloud-config=" + cloud_.config().string()}, {},
             "Waiting for the API server");
  EXPECT_NE(log.find("Waiting for the API server"), std::string::npos) << log;
  expect_clean("the log", log);
}

TEST_F(SecretsTest, ACloudBehindAProxyWithAPasswordKeepsAllOfThem) {
  json config = cloud_file();
  secrets_["the cloud's token"] = config.at("token").get<std::string>();
  secrets_["the password of the cloud's proxy"] = kProxySecret;
  secrets_["the password in the cloud's address"] = kUrlSecret;
  const auto file = folder_.path() / "cloud.json";
  const std::string proxy = "http://user:" + std::string(kProxySecret) + "@127.0.0.1:9";
  std::string plaintext = "--allow-plaintext-cloud-credentials=false";
  const auto tried = [&](const std::string& endpoint, const std::string& part) {
    config["endpoint"] = endpoint;
    support::write_file(file, config.dump());
    const std::string log = log_of({"--kubeconfig=" + server_.manager_kubeconfig().string(),
                                    "--cloud-config=" + file.string(), plaintext},
                                   {{"http_proxy", proxy}, {"HTTP_PROXY", proxy}}, part);
    EXPECT_NE(log.find(part), std::string::npos) << log;
    expect_clean("the log", log);
  };
  tried("http://cloud.invalid:80", "allow it with --allow-plaintext-cloud-credentials\"");
  plaintext = "--allow-plaintext-cloud-credentials";
  tried("http://cloud.invalid:80", "could not be initialised");
  tried("http://cloud.invalid:80", "A credential is sent without encryption");
  tried("http://user:" + std::string(kUrlSecret) + "@cloud.invalid:80",
        "without user and password");
}

}  // namespace
}  // namespace ccm::e2e
