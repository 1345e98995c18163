// Each flag of the endpoint does what --help says, from the command line to the client.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"
#include "test_certificates.hpp"
#include "tls_client.hpp"

#include <openssl/ssl.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ccm::e2e {
namespace {

using support::eventually;
using support::patience;
using test::Certificate;
using test::TlsClient;
using test::TlsClientOptions;

class ServingFlagsTest : public EndpointTest {
 protected:
  void SetUp() override {
    if (real()) GTEST_SKIP() << "the API server has no part in it";
  }

  // Until it listens; nobody reviews.
  void serve(const std::vector<std::string>& flags) {
    launch("", flags);
    ASSERT_TRUE(logs("Serving securely")) << manager_->log();
  }
  std::string write(const std::string& name, const std::string& text) {
    const auto file = folder_.path() / name;
    support::write_file(file.string() + ".new", text);
    std::filesystem::rename(file.string() + ".new", file);
    return file;
  }
  // Writes NAME.crt and NAME.key.
  std::pair<std::string, std::string> write_pair(const std::string& name,
                                                 const Certificate& certificate) {
    return {write(name + ".crt", certificate.certificate_pem),
            write(name + ".key", certificate.key_pem)};
  }
  Certificate issued_to(const std::string& name) const {
    test::CertificateRequest request;
    request.common_name = name;
    return test::issue(authority_, request);
  }
  [[nodiscard]] std::uint16_t tls_port() const { return static_cast<std::uint16_t>(port()); }
  [[nodiscard]] bool accepts(const TlsClientOptions& options) const {
    return TlsClient(tls_port(), options).connected();
  }
  // The certificate that is shown to who asks for that name.
  [[nodiscard]] std::string shown(const std::string& server_name = {}) const {
    TlsClientOptions options;
    options.server_name = server_name;
    return TlsClient(tls_port(), options).peer_pem();
  }
  // The status line and all that follows.
  [[nodiscard]] std::string get(const std::string& path, const TlsClientOptions& options = {},
                                const std::string& headers = {},
                                const std::string& method = "GET") const {
    TlsClient client(tls_port(), options);
    return client.ask(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                      "Content-Length: 0\r\n\r\n");
  }

  const Certificate authority_ = test::make_authority("ours");
};

TlsClientOptions shows(const Certificate& certificate) {
  TlsClientOptions options;
  options.certificate_pem = certificate.certificate_pem;
  options.key_pem = certificate.key_pem;
  return options;
}

TEST_F(ServingFlagsTest, HOST_54_58_TheFilesAreServedAndReadAgain) {
  const Certificate plain = issued_to("plain");
  const Certificate named = issued_to("named");
  const auto [plain_file, plain_key] = write_pair("plain", plain);
  const auto [named_file, named_key] = write_pair("named", named);
  serve({"--tls-cert-file=" + plain_file, "--tls-private-key-file=" + plain_key,
         "--tls-sni-cert-key=" + named_file + "," + named_key + ":named.example"});
  EXPECT_EQ(shown(), plain.certificate_pem);
  EXPECT_EQ(shown("named.example"), named.certificate_pem);
  const Certificate later = issued_to("later");
  write_pair("plain", later);
  EXPECT_TRUE(eventually(patience(), [&] { return shown() == later.certificate_pem; }))
      << manager_->log();
  EXPECT_TRUE(manager_->running());
}

TEST_F(ServingFlagsTest, HOST_53_TheFolderGetsAPair) {
  serve({});
  EXPECT_EQ(shown(), support::read_file(certificate()));
}

TEST_F(ServingFlagsTest, HOST_55_57_CipherSuitesAndCurves) {
  const auto [file, key] = write_pair("own", issued_to("own"));
  serve({"--tls-cert-file=" + file, "--tls-private-key-file=" + key,
         "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256",
         "--tls-curve-preferences=24"});
  TlsClientOptions client;
  client.max_version = TLS1_2_VERSION;
  client.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384";
  client.groups = "P-384:P-256";
  EXPECT_TRUE(accepts(client));
  client.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_FALSE(accepts(client)) << "another suite";
  client.max_version = 0;
  client.groups = "P-384";
  EXPECT_TRUE(accepts(client)) << "TLS 1.3 has suites of its own";
  client.groups = "X25519";
  EXPECT_FALSE(accepts(client)) << "another curve";
}

TEST_F(ServingFlagsTest, HOST_56_TheOldestVersion) {
  serve({"--tls-min-version=VersionTLS13"});
  TlsClientOptions client;
  EXPECT_TRUE(accepts(client));
  client.max_version = TLS1_2_VERSION;
  EXPECT_FALSE(accepts(client));
}

TEST_F(ServingFlagsTest, HOST_51_TheAddress) {
  serve({"--bind-address=127.0.0.2"});
  EXPECT_FALSE(TlsClient(tls_port()).connected()) << "127.0.0.1 is another one";
}

TEST_F(ServingFlagsTest, HOST_61_APortIsSharedByThoseThatAskForIt) {
  serve({});
  const auto first = std::move(manager_);
  launch("", {"--permit-port-sharing=false"});
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended.has_value()) << manager_->log();
  EXPECT_EQ(ended->code, 1);
  EXPECT_TRUE(contains(manager_->log(), "address already in use")) << manager_->log();
  serve({"--permit-port-sharing=true"});
  EXPECT_TRUE(first->running() && manager_->running());
}

TEST_F(ServingFlagsTest, HOST_66_67_68_ClientCertificatesAndFrontProxies) {
  const Certificate proxies = test::make_authority("proxies");
  test::CertificateRequest request;
  request.common_name = "front";
  const Certificate front = test::issue(proxies, request);
  request.common_name = "other";
  const Certificate other = test::issue(proxies, request);
  serve({"--client-ca-file=" + write("clients.crt", authority_.certificate_pem),
         "--requestheader-client-ca-file=" + write("proxies.crt", proxies.certificate_pem),
         "--requestheader-allowed-names=front", "--requestheader-username-headers=X-Caller",
         "--requestheader-group-headers=X-Team"});
  EXPECT_TRUE(contains(get("/metrics", shows(issued_to("alice"))), "User \\\"alice\\\" cannot"));
  const std::string carol = "X-Caller: carol\r\n";
  EXPECT_TRUE(contains(get("/metrics", shows(front), carol), "User \\\"carol\\\" cannot"));
  EXPECT_FALSE(contains(get("/metrics", shows(other), carol), "carol")) << "it is not allowed";
  EXPECT_FALSE(contains(get("/metrics", {}, carol), "carol")) << "nobody vouches for it";
  const std::string team = carol + "X-Team: system:masters\r\n";
  EXPECT_TRUE(get("/metrics", shows(front), team).starts_with("HTTP/1.1 200"));
  const std::string usual = "X-Remote-User: carol\r\n";
  EXPECT_FALSE(contains(get("/metrics", shows(front), usual), "carol")) << "another header";
}

// The API server reviews the caller with all that the proxy said about it.
TEST_F(ServingFlagsTest, HOST_67_UidAndExtraAttributesOfAFrontProxyAreReviewed) {
  const Certificate proxies = test::make_authority("proxies");
  test::CertificateRequest request;
  request.common_name = "front";
  const Certificate front = test::issue(proxies, request);
  start(reviews_through_proxy(),
        {"--requestheader-client-ca-file=" + write("proxies.crt", proxies.certificate_pem),
         "--requestheader-allowed-names=front", "--requestheader-username-headers=X-Caller",
         "--requestheader-uid-headers=X-Caller-Uid",
         "--requestheader-extra-headers-prefix=X-Caller-About-"});
  const std::string caller =
      "X-Caller: carol\r\nX-Caller-Uid: 4711\r\nX-Caller-About-Scopes: read\r\n"
      "X-Caller-About-Scopes: write\r\nX-Remote-Uid: 1\r\nX-Remote-Extra-Scopes: all\r\n";
  EXPECT_TRUE(contains(get("/metrics", shows(front), caller), "User \\\"carol\\\" cannot"));
  const auto review = nlohmann::json::parse(proxy_->last_posted("/subjectaccessreviews"));
  EXPECT_EQ(review.at("spec").at("user"), "carol");
  EXPECT_EQ(review.at("spec").at("uid"), "4711");
  EXPECT_EQ(review.at("spec").at("extra"),
            nlohmann::json({{"scopes", nlohmann::json::array({"read", "write"})}}));
}

TEST_F(ServingFlagsTest, HOST_70_98_OpenPathsAndThePageThatChangesTheVerbosity) {
  const std::string open = "--authorization-always-allow-paths=/metrics,/livez*,/debug/flags/v";
  serve({open, "--profiling=false"});
  EXPECT_TRUE(get("/metrics").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(get("/livez/leaderElection").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(get("/healthz").starts_with("HTTP/1.1 403")) << "the flag's list is the whole one";
  EXPECT_TRUE(get("/debug/flags/v", {}, {}, "PUT").starts_with("HTTP/1.1 404"));
  manager_->stop();
  serve({open});
  EXPECT_TRUE(get("/debug/flags/v", {}, {}, "PUT").starts_with("HTTP/1.1 400")) << "no number";
}

// How many of each kind of review two equal requests cost.
TEST_F(ServingFlagsTest, HOST_65_71_HowLongAnswersOfReviewsAreUsed) {
  struct Expected {
    std::string flag;
    std::size_t token_reviews;
    std::size_t reviews_of_the_scraper;
    std::size_t reviews_of_nobody;
  };
  for (const Expected& expected :
       {Expected{"", 2, 1, 1}, Expected{"--authentication-token-webhook-cache-ttl=0s", 4, 1, 1},
        Expected{"--authorization-webhook-cache-authorized-ttl=0s", 2, 2, 1},
        Expected{"--authorization-webhook-cache-unauthorized-ttl=0s", 2, 1, 2}}) {
    std::vector<std::string> flags;
    if (!expected.flag.empty()) flags.push_back(expected.flag);
    start(reviews_through_proxy(), flags);
    const auto accesses_of = [&](const std::string& token) {
      const std::size_t before = proxy_->requests("POST", "/subjectaccessreviews");
      ask("/metrics", token);
      ask("/metrics", token);
      return proxy_->requests("POST", "/subjectaccessreviews") - before;
    };
    EXPECT_EQ(accesses_of(scraper()), expected.reviews_of_the_scraper) << expected.flag;
    EXPECT_EQ(accesses_of(nobody()), expected.reviews_of_nobody) << expected.flag;
    EXPECT_EQ(proxy_->requests("POST", "/tokenreviews"), expected.token_reviews) << expected.flag;
    manager_->stop();
  }
}

}  // namespace
}  // namespace ccm::e2e
