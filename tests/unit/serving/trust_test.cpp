// Client certificates, front proxies, and where their authorities come from.
#include "access_fixture.hpp"
#include "test_certificates.hpp"

#include <filesystem>
#include <fstream>
#include <future>

namespace ccm::serving {
namespace {

using test::Certificate;
using test::TlsClient;
using test::TlsClientOptions;

class TrustTest : public AccessTest {
 protected:
  TrustTest()
      : clients_(test::make_authority("clients")), proxies_(test::make_authority("proxies")) {
    on_access = [](const test::ServerRequest&) { return verdict(true); };
  }

  static TlsClientOptions showing(const Certificate& authority, const std::string& name,
                                  std::chrono::seconds not_after = std::chrono::hours(24),
                                  unsigned rsa_bits = 0, bool sha1 = false) {
    test::CertificateRequest request;
    request.common_name = name;
    request.not_before = std::chrono::hours(-48);
    request.not_after = not_after;
    request.rsa_bits = rsa_bits;
    request.sha1 = sha1;
    const Certificate made = test::issue(authority, request);
    TlsClientOptions options;
    options.certificate_pem = made.certificate_pem;
    options.key_pem = made.key_pem;
    return options;
  }
  void believe_cluster(std::map<std::string, std::string> more = {}) {
    std::map<std::string, std::string> data{
        {"client-ca-file", clients_.certificate_pem},
        {"requestheader-client-ca-file", proxies_.certificate_pem},
        {"requestheader-allowed-names", R"(["front"])"},
        {"requestheader-username-headers", R"(["X-Remote-User"])"},
        {"requestheader-group-headers", R"(["X-Remote-Group"])"},
        {"requestheader-uid-headers", R"(["X-Remote-Uid"])"},
        {"requestheader-extra-headers-prefix", R"(["X-Remote-Extra-"])"}};
    for (auto& [key, value] : more) data[key] = value;
    auto trust = trust_of_config_map(data);
    ASSERT_TRUE(trust.ok()) << trust.status().message();
    trust_->set_cluster(std::move(*trust));
  }

  Certificate clients_;
  Certificate proxies_;
};

const char* const kBob =
    "X-Remote-User: bob\r\nX-Remote-Group: one\r\nx-remote-group: two\r\nX-Remote-Uid: 7\r\n"
    "X-Remote-Extra-Acme.com%2fProject: p\r\n";

TEST_F(TrustTest, HOST_66_TheNameOfACertificateIsTheUser) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient client(port(), showing(clients_, "carol"));
  EXPECT_EQ(status(client.ask(get("/metrics"))), 200u);
  EXPECT_EQ(seen().user.name, "carol");
  EXPECT_EQ(seen().user.groups, std::vector<std::string>{"system:authenticated"});
}

// Go counts what strangers made up, too: anybody could set off an alert about certificates.
TEST_F(TrustTest, MET_48_HowLongBelievedCertificatesAreGood) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  const std::string name = "apiserver_client_certificate_expiration_seconds_";
  EXPECT_NE(metrics_text().find(name + "count 0\n"), std::string::npos);
  TlsClient(port(), showing(clients_, "carol", std::chrono::hours(3))).ask(get("/metrics"));
  TlsClient(port(), showing(clients_, "carol", std::chrono::hours(24 * 80))).ask(get("/metrics"));
  TlsClient(port(), showing(test::make_authority("x"), "carol")).ask(get("/metrics"));
  const std::string text = metrics_text();
  for (const char* line :
       {"bucket{le=\"7200\"} 0\n", "bucket{le=\"21600\"} 1\n", "bucket{le=\"2592000\"} 1\n",
        "bucket{le=\"7776000\"} 2\n", "count 2\n"}) {
    EXPECT_NE(text.find(name + line), std::string::npos) << line << text;
  }
}

TEST_F(TrustTest, HOST_101_AForeignOrExpiredCertificateIs401) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient foreign(port(), showing(test::make_authority("clients"), "carol"));
  EXPECT_EQ(status(foreign.ask(get("/healthz"))), 401u);
  TlsClient expired(port(), showing(clients_, "carol", std::chrono::hours(-1)));
  EXPECT_EQ(status(expired.ask(get("/metrics"))), 401u);
  TlsClient with_token_too(port(), showing(test::make_authority("x"), "carol"));
  EXPECT_EQ(status(with_token_too.ask(with_token("good"))), 200u)
      << "one good credential is enough";
  EXPECT_EQ(seen().user.name, "alice");
}

TEST_F(TrustTest, ACertificateThatCanBeForgedIs401) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  const std::chrono::hours day(24);
  EXPECT_EQ(status(TlsClient(port(), showing(clients_, "carol", day, 2048)).ask(get("/metrics"))),
            200u);
  // OpenSSL's own level for the handshake may refuse them earlier.
  for (const auto& options :
       {showing(clients_, "carol", day, 1024, false), showing(clients_, "carol", day, 0, true)}) {
    TlsClient client(port(), options);
    const std::string answer = client.ask(get("/metrics"));
    EXPECT_TRUE(answer.empty() || status(answer) == 401u) << answer;
  }
}

// The certificate expires where the server keeps it, which only another look would notice.
TEST_F(TrustTest, AChainIsVerifiedOnceAConnection) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient client(port(), showing(clients_, "carol"));
  ASSERT_EQ(status(client.ask(get("/metrics"))), 200u);
  X509_gmtime_adj(X509_getm_notAfter(seen().peer->leaf()), -3'600);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status(client.ask(get("/metrics"))), 200u);
  std::promise<void> replaced;
  boost::asio::post(loop_, [&] {
    believe_cluster();
    replaced.set_value();
  });
  replaced.get_future().wait();
  EXPECT_EQ(status(client.ask(get("/metrics"))), 401u) << "authorities that are new look again";
}

TEST_F(TrustTest, ACertificateThatExpiresOnItsConnectionCountsNoLonger) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient client(port(), showing(clients_, "carol", std::chrono::seconds(2)));
  EXPECT_EQ(status(client.ask(get("/metrics"))), 200u);
  std::this_thread::sleep_for(std::chrono::milliseconds(3'100));
  EXPECT_EQ(status(client.ask(get("/metrics"))), 401u);
}

TEST_F(TrustTest, AChainWithoutMeasureEndsTheHandshake) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  for (const int size : {5, 20, 60}) {
    TlsClientOptions options = showing(clients_, "carol");
    for (int i = 0; i < size; ++i) {
      options.chain_pem += test::make_authority("link " + std::to_string(i)).certificate_pem;
    }
    TlsClient client(port(), options);
    const std::string answer = client.ask(get("/metrics"));
    EXPECT_EQ(status(answer), size == 5 ? 200u : 0u) << size;
  }
}

TEST_F(TrustTest, HOST_66_WithoutAnAuthorityCertificatesSayNothing) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port(), showing(clients_, "carol"));
  EXPECT_EQ(status(client.ask(get("/metrics"))), 200u);
  EXPECT_EQ(seen().user.name, "system:anonymous");
}

TEST_F(TrustTest, API_128_AFrontProxyNamesItsUser) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient proxy(port(), showing(proxies_, "front"));
  EXPECT_EQ(status(proxy.ask(ask_with(kBob))), 200u);
  const Request request = seen();
  EXPECT_EQ(request.user.name, "bob");
  EXPECT_EQ(request.user.uid, "7");
  EXPECT_EQ(request.user.groups, (std::vector<std::string>{"one", "two", "system:authenticated"}));
  ASSERT_EQ(request.user.extra.size(), 1u);
  EXPECT_EQ(request.user.extra[0].first, "acme.com/project");
  EXPECT_EQ(request.headers.size(), 1u) << "Host is left (API-127)";
}

TEST_F(TrustTest, API_128_TheHeadersOfAnybodyElseCountForNothing) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient nobody(port());
  EXPECT_EQ(status(nobody.ask(ask_with(kBob))), 200u);
  EXPECT_EQ(seen().user.name, "system:anonymous");
  EXPECT_EQ(seen().headers.size(), 1u) << "nobody behind authentication may see them";
  TlsClient user(port(), showing(clients_, "front"));
  EXPECT_EQ(status(user.ask(ask_with(kBob))), 200u);
  EXPECT_EQ(seen().user.name, "front") << "its certificate is of the other authority";
  TlsClient unknown(port(), showing(proxies_, "back"));
  EXPECT_EQ(status(unknown.ask(ask_with(kBob))), 401u) << "its name is not allowed";
}

TEST_F(TrustTest, API_125_ANewConfigMapCountsAtOnce) {
  believe_cluster();
  ASSERT_TRUE(start().ok());
  TlsClient client(port(), showing(clients_, "carol"));
  EXPECT_EQ(status(client.ask(get("/metrics"))), 200u);
  clients_ = test::make_authority("clients");
  boost::asio::post(loop_, [this] { believe_cluster(); });
  EXPECT_EQ(status(client.ask(get("/metrics"))), 401u) << "on the connection that is open";
}

TEST_F(TrustTest, HOST_66_FilesAreReReadWhenTheyChange) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ccm-trust-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = folder / "ca.crt";
  const auto write = [&](const std::string& text) {
    std::ofstream(file + ".new") << text;
    std::filesystem::rename(file + ".new", file);
  };
  write(clients_.certificate_pem);
  TrustOptions options;
  options.client_ca_file = file;
  TrustSource source(options);
  ASSERT_TRUE(source.load().ok());
  const auto* const first = source.current().clients.get();
  ASSERT_NE(first, nullptr);
  write("no certificate");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto becomes = [&](auto condition) {
    while (!condition() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return condition();
  };
  EXPECT_EQ(source.current().clients.get(), first) << "the old one goes on";
  write(proxies_.certificate_pem);
  EXPECT_TRUE(becomes([&] { return source.current().clients.get() != first; }));
  options.client_ca_file = folder / "none";
  const Status missing = TrustSource(options).load();
  EXPECT_NE(missing.message().find("--client-ca-file"), std::string::npos) << missing.message();
  std::filesystem::remove_all(folder);
}

TEST(TrustOfConfigMap, API_125_WhatIsDamagedIsNamed) {
  EXPECT_TRUE(trust_of_config_map({}).ok());
  EXPECT_EQ(trust_of_config_map({}).value().clients, nullptr);
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"client-ca-file", "nothing"},
           {"requestheader-client-ca-file",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"},
           {"requestheader-allowed-names", "front"},
           {"requestheader-group-headers", R"({"a":1})"},
           {"requestheader-username-headers", "[1]"}}) {
    const auto trust = trust_of_config_map({{key, value}});
    EXPECT_EQ(trust.status().code(), Code::invalid_argument) << key;
    EXPECT_NE(trust.status().message().find(key), std::string::npos) << trust.status().message();
  }
}

}  // namespace
}  // namespace ccm::serving
