// Credentials that change while the manager runs, and the metric that tells when they expire.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <ctime>
#include <filesystem>
#include <regex>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

class CredentialsTest : public EndpointTest {
 protected:
  // The manager's kubeconfig, replaced as a whole.
  std::string write(const support::Credentials& credentials) {
    const auto ca = folder_.path() / "api-ca.crt";
    support::write_file(ca, credentials.ca_pem);
    json user = json::object();
    if (!credentials.token.empty()) {
      user["token"] = credentials.token;
    } else {
      const auto put = [&](const char* name, const std::string& pem) {
        const auto path = folder_.path() / name;
        support::write_file(path, pem);
        user[name] = path.string();
      };
      put("client-certificate", credentials.client_certificate);
      put("client-key", credentials.client_key);
    }
    const json kubeconfig = {
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters", json::array({{{"name", "c"},
                                   {"cluster",
                                    {{"server", credentials.server},
                                     {"certificate-authority", ca.string()}}}}})},
        {"users", json::array({{{"name", "u"}, {"user", user}}})},
        {"contexts",
         json::array({{{"name", "x"}, {"context", {{"cluster", "c"}, {"user", "u"}}}}})},
        {"current-context", "x"}};
    const auto file = folder_.path() / "renewed.kubeconfig";
    support::write_file(file.string() + ".new", kubeconfig.dump());
    std::filesystem::rename(file.string() + ".new", file);
    return file;
  }
  // In Unix time; 0 when the page does not have it.
  double expiry(const std::string& kind) {
    const std::string page = ask("/metrics", scraper()).body;
    const std::regex line(
        "ccm_credential_expiration_timestamp_seconds\\{credential=\"[^\"]+\","
        "kind=\"" +
        kind + "\"\\} ([0-9.e+]+)\n");
    std::smatch found;
    return std::regex_search(page, found, line) ? std::stod(found[1]) : 0;
  }
};

TEST_F(CredentialsTest, API_83_AKubeconfigIsReadAgainAndTriedBeforeTheOldOneIsDropped) {
  const auto own = support::read_kubeconfig(server_.manager_kubeconfig());
  auto wrong = own;
  wrong.client_certificate.clear();
  wrong.client_key.clear();
  wrong.token = "not-a-token";
  // On the sandbox every account may do everything.
  auto other = support::read_kubeconfig(server_.kubeconfig());
  if (!real()) other.token = scraper();

  start(reviews(), {"--kubeconfig=" + write(own)});
  write(wrong);
  ASSERT_TRUE(logs("Kept the previous credentials")) << manager_->log();
  EXPECT_TRUE(contains(manager_->log(), "the API server refuses it (401)")) << manager_->log();
  join("node-1");
  EXPECT_TRUE(initialised("node-1")) << manager_->log();
  EXPECT_FALSE(contains(manager_->log(), "Credentials were renewed"));

  write(other);
  ASSERT_TRUE(logs("Credentials were renewed")) << manager_->log();
  join("node-2");
  EXPECT_TRUE(initialised("node-2")) << manager_->log();
  EXPECT_TRUE(manager_->running());
  EXPECT_FALSE(contains(manager_->log(), "not-a-token"));
}

TEST_F(CredentialsTest, TheirExpiryIsAMetric) {
  auto credentials = support::read_kubeconfig(server_.manager_kubeconfig());
  if (!real()) credentials.token = scraper();
  start(reviews(), {"--kubeconfig=" + write(credentials)});
  const auto now = static_cast<double>(std::time(nullptr));
  const char* own = credentials.token.empty() ? "client-certificate" : "token";
  for (const char* kind : {own, "certificate-authority", "serving-certificate"}) {
    EXPECT_GT(expiry(kind), now) << kind;
  }
  EXPECT_EQ(expiry("nonsense"), 0);
}

}  // namespace
}  // namespace ccm::e2e
