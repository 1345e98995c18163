// The servers that the client trusts, and what it says when it does not.
#include "client_fixture.hpp"

#include <openssl/ssl.h>

namespace ccm::net {
namespace {

using std::chrono::hours;
using test::Certificate;
using test::CertificateRequest;
using test::ServerOptions;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

class TlsTest : public ClientTest {
 protected:
  static ServerReply hello(const ServerRequest&) { return reply("hello"); }

  // The failure that a client meets at a server with this certificate.
  Status failure_with(const CertificateRequest& request) {
    ServerOptions server_options = trusted();
    server_options.certificate = test::issue(authority_, request);
    TestHttpServer server(hello, server_options);
    const Result<Response> response = get(server.url());
    EXPECT_EQ(server.requests().size(), 0u);
    return response.status();
  }
};

void expect_says(const Status& status, Code code, std::initializer_list<const char*> words) {
  EXPECT_EQ(status.code(), code) << status.message();
  for (const char* word : words) {
    EXPECT_NE(status.message().find(word), std::string::npos)
        << "\"" << word << "\" is missing in: " << status.message();
  }
}

TEST_F(TlsTest, AWrongNameSaysForWhomTheCertificateIs) {
  CertificateRequest request;
  request.names = {"other.example", "10.1.2.3"};
  expect_says(failure_with(request), Code::unauthenticated,
              {"certificate is for other.example, 10.1.2.3", "wanted 127.0.0.1"});
}

// OpenSSL would check no name then, or any subdomain.
TEST_F(TlsTest, ANameThatIsNoneIsRefused) {
  for (const char* name : {".", ".example", "%eth0", "..", ".%1"}) {
    CertificateRequest request;
    request.names = {"sub.example"};
    options_.tls.server_name = name;
    client_.reset();
    expect_says(failure_with(request), Code::invalid_argument, {name, "not the name of a server"});
  }
}

TEST_F(TlsTest, TheCommonNameIsNoName) {
  CertificateRequest request;
  request.common_name = "127.0.0.1";
  expect_says(failure_with(request), Code::unauthenticated,
              {"no name at all", "CN=127.0.0.1", "wanted 127.0.0.1"});
}

TEST_F(TlsTest, AnExpiredCertificateSaysSince) {
  CertificateRequest request;
  request.names = {"127.0.0.1"};
  request.not_before = hours(-48);
  request.not_after = hours(-24);
  expect_says(failure_with(request), Code::unauthenticated, {"expired on 20", "UTC"});
}

TEST_F(TlsTest, ACertificateOfTheFutureSaysFrom) {
  CertificateRequest request;
  request.names = {"127.0.0.1"};
  request.not_before = hours(2);
  expect_says(failure_with(request), Code::unauthenticated, {"not valid before 20"});
}

TEST_F(TlsTest, AnUnknownAuthorityIsNamed) {
  ServerOptions server_options = trusted();
  options_.tls.ca_pem = test::make_authority("somebody else").certificate_pem;
  TestHttpServer server(hello, server_options);
  expect_says(get(server.url()).status(), Code::unauthenticated,
              {"unknown authority", "CN=test authority"});
}

TEST_F(TlsTest, WithoutACaTheSystemsRootsDecide) {
  ServerOptions server_options = trusted();
  options_.tls.ca_pem.clear();
  TestHttpServer server(hello, server_options);
  expect_says(get(server.url()).status(), Code::unauthenticated, {"unknown authority"});
}

TEST_F(TlsTest, OneOfSeveralAuthoritiesSuffices) {
  ServerOptions server_options = trusted();
  options_.tls.ca_pem = test::make_authority("somebody else").certificate_pem +
                        "some text between\n" + authority_.certificate_pem;
  TestHttpServer server(hello, server_options);
  const Result<Response> response = get(server.url());
  EXPECT_TRUE(response.ok()) << response.status().message();
}

TEST_F(TlsTest, InsecureSkipsTheVerification) {
  ServerOptions server_options = trusted();
  options_.tls = TlsOptions();
  options_.tls.insecure_skip_verify = true;
  TestHttpServer server(hello, server_options);
  const Result<Response> response = get(server.url());
  EXPECT_TRUE(response.ok()) << response.status().message();
}

TEST_F(TlsTest, R_143_AFingerprintTrustsThatCertificateAlone) {
  CertificateRequest request;
  request.names = {"other.example"};
  request.not_before = hours(-48);
  request.not_after = hours(-24);
  ServerOptions server_options = trusted();
  server_options.certificate = test::issue(authority_, request);
  TestHttpServer server(hello, server_options);
  options_.tls = TlsOptions();
  options_.tls.server_fingerprint = test::fingerprint_of(*server_options.certificate);
  const Result<Response> response = get(server.url());
  EXPECT_TRUE(response.ok()) << response.status().message();

  server_options.certificate = test::issue_for_loopback(authority_);
  TestHttpServer impostor(hello, server_options);
  expect_says(get(impostor.url()).status(), Code::unauthenticated,
              {"the certificate's SHA-256 fingerprint is", "; wanted"});
  EXPECT_EQ(impostor.requests().size(), 0u);
}

TEST_F(TlsTest, R_143_AFingerprintThatIsNoneIsRefused) {
  for (const char* given : {"abcd", "sha256", "zz"}) {
    TlsOptions tls;
    tls.server_fingerprint = given;
    ClientOptions options;
    options.tls = tls;
    expect_says(HttpClient(loop_.get_executor(), options).check(), Code::invalid_argument,
                {"fingerprint", given, "64 hexadecimal digits"});
  }
}

TEST_F(TlsTest, API_105_TheServerNameOverridesSniAndVerifiedName) {
  ServerOptions server_options = trusted();
  CertificateRequest request;
  request.names = {"api.internal"};
  server_options.certificate = test::issue(authority_, request);
  options_.tls.server_name = "api.internal";
  TestHttpServer server(hello, server_options);
  const Result<Response> response = get(server.url());
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(server.requests().at(0).server_name, "api.internal");
}

TEST_F(TlsTest, ANameGoesOutAsSniAndAnAddressDoesNot) {
  TestHttpServer server(hello, trusted());
  ASSERT_TRUE(get(server.url()).ok());
  ASSERT_TRUE(get("https://localhost:" + std::to_string(server.port()) + "/").ok());
  EXPECT_EQ(server.requests().at(0).server_name, "");
  EXPECT_EQ(server.requests().at(1).server_name, "localhost");
}

TEST_F(TlsTest, ShowsTheClientCertificate) {
  ServerOptions server_options = trusted();
  server_options.client_authority_pem = authority_.certificate_pem;
  CertificateRequest request;
  request.common_name = "system:ccm";
  const Certificate mine = test::issue(authority_, request);
  options_.tls.certificate_pem = mine.certificate_pem;
  options_.tls.private_key_pem = mine.key_pem;
  TestHttpServer server(hello, server_options);
  const Result<Response> response = get(server.url());
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(server.requests().at(0).client_subject, "CN=system:ccm");
}

TEST_F(TlsTest, AServerThatMissesOurCertificateIsUnderstood) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ServerOptions server_options = trusted();
    server_options.client_authority_pem = authority_.certificate_pem;
    server_options.max_tls_version = version;
    TestHttpServer server(hello, server_options);
    client_.reset();
    const Status status = get(server.url()).status();
    EXPECT_EQ(server.requests().size(), 0u);
    // Before TLS 1.3 there was no word for it.
    if (version == TLS1_2_VERSION) {
      expect_says(status, Code::unavailable, {"TLS handshake failed", "alert"});
    } else {
      expect_says(status, Code::unauthenticated, {"refused our client certificate"});
    }
  }
}

TEST_F(TlsTest, AServerThatDistrustsOurCertificateIsUnderstood) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ServerOptions server_options = trusted();
    server_options.client_authority_pem = authority_.certificate_pem;
    server_options.max_tls_version = version;
    const Certificate mine = test::issue(test::make_authority("somebody else"), {});
    options_.tls.certificate_pem = mine.certificate_pem;
    options_.tls.private_key_pem = mine.key_pem;
    TestHttpServer server(hello, server_options);
    client_.reset();
    expect_says(get(server.url()).status(), Code::unauthenticated,
                {"refused our client certificate"});
    EXPECT_EQ(server.requests().size(), 0u);
  }
}

TEST_F(TlsTest, API_100_OldTlsIsRefused) {
  ServerOptions server_options = trusted();
  server_options.max_tls_version = TLS1_1_VERSION;
  TestHttpServer server(hello, server_options);
  expect_says(get(server.url()).status(), Code::unavailable, {"TLS"});
}

TEST_F(TlsTest, SpeaksTls12) {
  ServerOptions server_options = trusted();
  server_options.max_tls_version = TLS1_2_VERSION;
  TestHttpServer server(hello, server_options);
  for (int i = 0; i < 3; ++i) {
    const Result<Response> response = get(server.url());
    ASSERT_TRUE(response.ok()) << response.status().message();
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(TlsTest, APlainServerIsToldApart) {
  // Go's server answers so to what is no HTTP.
  ServerOptions server_options;
  server_options.raw_connection = [](int descriptor, unsigned) {
    char bytes[2048];
    if (::recv(descriptor, bytes, sizeof bytes, 0) <= 0) return;
    const std::string answer = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    ::send(descriptor, answer.data(), answer.size(), MSG_NOSIGNAL);
  };
  TestHttpServer server(hello, server_options);
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  expect_says(get(url).status(), Code::unavailable, {"does not speak TLS"});
}

TEST_F(TlsTest, ResumesSessions) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ServerOptions server_options = trusted();
    server_options.max_tls_version = version;
    TestHttpServer server(hello, server_options);
    client_.reset();
    ASSERT_TRUE(get(server.url()).ok());
    client().close_idle();
    ASSERT_TRUE(get(server.url()).ok());
    ASSERT_EQ(server.requests().size(), 2u);
    EXPECT_FALSE(server.requests().at(0).resumed);
    EXPECT_TRUE(server.requests().at(1).resumed);
  }
}

TEST_F(TlsTest, SetTlsReplacesTrustAndConnections) {
  TestHttpServer server(hello, trusted());
  const TlsOptions good = options_.tls;
  ASSERT_TRUE(get(server.url()).ok());

  TlsOptions bad;
  bad.ca_pem = test::make_authority("somebody else").certificate_pem;
  client().set_tls(bad);
  EXPECT_EQ(get(server.url()).status().code(), Code::unauthenticated);

  client().set_tls(good);
  ASSERT_TRUE(get(server.url()).ok());
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_FALSE(server.requests().at(1).resumed) << "an old session may carry an old identity";
}

TEST_F(TlsTest, CheckFindsBadTextsWithoutAConnection) {
  const Certificate authority = test::make_authority("a");
  const Certificate one = test::issue(authority, {});
  const Certificate other = test::issue(authority, {});
  const std::string broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const std::string encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE "
      "KEY-----\n";
  struct Case {
    std::string ca, certificate, key;
    const char* says;
  };
  for (const Case& one_case : std::initializer_list<Case>{
           {"no pem", "", "", "certificate authority: no \"BEGIN CERTIFICATE\""},
           {broken, "", "", "certificate authority: certificate 1"},
           {authority.certificate_pem + broken, "", "", "certificate authority: certificate 2"},
           {"", one.certificate_pem, "", "private key is missing"},
           {"", "", one.key_pem, "no certificate"},
           {"", "no pem", one.key_pem, "client certificate: no \"BEGIN CERTIFICATE\""},
           {"", broken, one.key_pem, "client certificate: the PEM text is malformed"},
           {"", one.certificate_pem, "no pem", "private key's PEM text is malformed"},
           {"", one.certificate_pem, encrypted, "encrypted"},
           {"", one.certificate_pem, other.key_pem, "does not belong"}}) {
    ClientOptions options;
    options.tls.ca_pem = one_case.ca;
    options.tls.certificate_pem = one_case.certificate;
    options.tls.private_key_pem = one_case.key;
    const HttpClient client(loop_.get_executor(), options);
    expect_says(client.check(), Code::invalid_argument, {one_case.says});
  }
  ClientOptions good;
  good.tls.ca_pem = authority.certificate_pem;
  good.tls.certificate_pem = one.certificate_pem;
  good.tls.private_key_pem = one.key_pem;
  EXPECT_TRUE(HttpClient(loop_.get_executor(), good).check().ok());
}

TEST_F(TlsTest, BadTextsFailTheFirstRequest) {
  TestHttpServer server(hello, trusted());
  options_.tls.ca_pem = "nonsense";
  expect_says(get(server.url()).status(), Code::invalid_argument, {"certificate authority"});
  EXPECT_EQ(server.connections(), 0u);
}

TEST_F(TlsTest, AStuckHandshakeMeetsItsLimit) {
  ServerOptions server_options;
  server_options.raw_connection = [](int descriptor, unsigned) {
    char byte;
    while (::recv(descriptor, &byte, 1, 0) > 0) {
    }
  };
  TestHttpServer server(hello, server_options);
  options_.tls_handshake_timeout = std::chrono::milliseconds(80);
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  expect_says(get(url).status(), Code::deadline_exceeded, {"TLS handshake"});
}

}  // namespace
}  // namespace ccm::net
