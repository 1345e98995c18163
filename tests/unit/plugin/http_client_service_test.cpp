// Clients of a plugin's own: whom they trust, and how they show themselves.
#include "http_client_fixture.hpp"

namespace ccm::plugin {
namespace {

TEST_F(HttpClientServiceTest, AnAuthorityOfItsOwnIsTrustedAndNoOther) {
  TestHttpServer server(hello, with_certificate());
  auto wanted = options();
  EXPECT_EQ(ask(opened(wanted), server.url()).status.code(), Code::unauthenticated);
  wanted.ca_pem = c_str(authority_.certificate_pem);
  const Answer trusted = ask(opened(wanted), server.url());
  EXPECT_TRUE(trusted.status.ok()) << trusted.status.message();
  EXPECT_EQ(trusted.http_status, 200u);
  const Certificate other = test::make_authority("another");
  wanted.ca_pem = c_str(other.certificate_pem);
  EXPECT_EQ(ask(opened(wanted), server.url()).status.code(), Code::unauthenticated);
}

TEST_F(HttpClientServiceTest, ItShowsItsOwnCertificate) {
  auto demanding = with_certificate();
  demanding.client_authority_pem = authority_.certificate_pem;
  TestHttpServer server(hello, demanding);
  test::CertificateRequest request;
  request.common_name = "the-cloud-controller";
  const Certificate own = test::issue(authority_, request);
  auto wanted = options();
  wanted.ca_pem = c_str(authority_.certificate_pem);
  EXPECT_FALSE(ask(opened(wanted), server.url()).status.ok());
  wanted.certificate_pem = c_str(own.certificate_pem);
  wanted.key_pem = c_str(own.key_pem);
  const Answer shown = ask(opened(wanted), server.url());
  EXPECT_TRUE(shown.status.ok()) << shown.status.message();
  EXPECT_EQ(shown.body, "hello CN=the-cloud-controller");
  auto from_files = options();
  const std::string ca = file("ca.crt", authority_.certificate_pem);
  const std::string certificate = file("tls.crt", own.certificate_pem);
  const std::string key = file("tls.key", own.key_pem);
  from_files.ca_file = c_str(ca);
  from_files.certificate_file = c_str(certificate);
  from_files.key_file = c_str(key);
  EXPECT_EQ(ask(opened(from_files), server.url()).body, "hello CN=the-cloud-controller");
}

TEST_F(HttpClientServiceTest, WhatIsWrongIsSaidWhenItIsOpened) {
  const Certificate one = test::issue(authority_, {});
  const Certificate other = test::issue(authority_, {});
  auto wrong = options();
  wrong.ca_pem = c_str("no PEM");
  expect_refused(wrong, Code::invalid_argument);
  wrong = options();
  wrong.certificate_pem = c_str(one.certificate_pem);
  wrong.key_pem = c_str(other.key_pem);
  expect_refused(wrong, Code::invalid_argument);
  wrong = options();
  wrong.proxy = c_str("gopher://proxy");
  expect_refused(wrong, Code::invalid_argument);
  wrong = options();
  wrong.ca_file = c_str("relative.crt");
  expect_refused(wrong, Code::invalid_argument);
  wrong = options();
  wrong.key_file = c_str("/nonexistent/tls.key");
  expect_refused(wrong, Code::not_found);
  wrong = options();
  wrong.flags = 4;
  expect_refused(wrong, Code::unimplemented);
  struct {
    ccm_http_client_options known;
    ccm_str minimum_version;
  } later{options(), c_str("1.3")};
  later.known.size = sizeof(later);
  expect_refused(later.known, Code::unimplemented);
}

TEST_F(HttpClientServiceTest, R_140_ChangedFilesAreReadAgainAndBadOnesAreNot) {
  const Certificate second = test::make_authority("the next authority");
  test::ServerOptions renewed;
  renewed.certificate = test::issue_for_loopback(second);
  TestHttpServer old_server(hello, with_certificate());
  TestHttpServer new_server(hello, renewed);
  const std::string ca = file("ca.crt", authority_.certificate_pem);
  auto wanted = options();
  wanted.ca_file = c_str(ca);
  const ccm_http_client client = opened(wanted);
  EXPECT_TRUE(ask(client, old_server.url()).status.ok());
  EXPECT_FALSE(ask(client, new_server.url()).status.ok());
  file("ca.crt", second.certificate_pem);
  poll_until([&] {
    advance(1s);
    return logged("HTTP client uses its changed files") == 1;
  });
  EXPECT_TRUE(ask(client, new_server.url()).status.ok());
  EXPECT_FALSE(ask(client, old_server.url()).status.ok());
  file("ca.crt", "half a certific");
  poll_until([&] {
    advance(1s);
    return logged("cannot be used; the earlier content stays") == 1;
  });
  EXPECT_EQ(logged("cannot be used; the earlier content stays"), 1u) << log_;
  new_server.close_connections();
  EXPECT_TRUE(ask(client, new_server.url()).status.ok());
  fs::remove(ca);
  poll_until([&] {
    advance(1s);
    return logged("cannot be used; the earlier content stays") == 2;
  });
  EXPECT_EQ(logged("cannot be used; the earlier content stays"), 2u) << log_;
  new_server.close_connections();
  EXPECT_TRUE(ask(client, new_server.url()).status.ok());
}

TEST_F(HttpClientServiceTest, R_143_AFingerprintTrustsOneCertificate) {
  const auto signed_by_nobody_known = with_certificate();
  TestHttpServer server(hello, signed_by_nobody_known);
  TestHttpServer impostor(hello, with_certificate());
  const std::string fingerprint = test::fingerprint_of(*signed_by_nobody_known.certificate);
  auto wanted = options();
  wanted.fingerprint = c_str(fingerprint);
  const ccm_http_client client = opened(wanted);
  EXPECT_TRUE(ask(client, server.url()).status.ok());
  EXPECT_EQ(ask(client, impostor.url()).status.code(), Code::unauthenticated);
  wanted.fingerprint = c_str("AB:CD");
  expect_refused(wanted, Code::invalid_argument);
}

TEST_F(HttpClientServiceTest, R_141_OneThatChecksNothingIsWarnedAboutEveryHour) {
  TestHttpServer server(hello, with_certificate());
  const char* warning = "HTTP client does not check the server's certificate";
  EXPECT_EQ(ask(opened(options()), server.url()).status.code(), Code::unauthenticated);
  EXPECT_EQ(logged(warning), 0u) << "checked unless the user says otherwise";
  auto wanted = options();
  wanted.flags = CCM_HTTP_INSECURE;
  const ccm_http_client client = opened(wanted);
  EXPECT_TRUE(ask(client, server.url()).status.ok());
  EXPECT_EQ(logged(warning), 1u);
  EXPECT_EQ(logged("client=\"keystone\""), 1u) << log_;
  advance(59min);
  EXPECT_EQ(logged(warning), 1u);
  advance(2min);
  EXPECT_EQ(logged(warning), 2u);
  clients_->close(service_.self, client.number);
  poll();
  advance(3h);
  EXPECT_EQ(logged(warning), 2u);
}

TEST_F(HttpClientServiceTest, TheServersNameMayBeAnother) {
  test::CertificateRequest request;
  request.names = {"keystone.internal"};
  test::ServerOptions named;
  named.certificate = test::issue(authority_, request);
  TestHttpServer server(hello, named);
  auto wanted = options();
  wanted.ca_pem = c_str(authority_.certificate_pem);
  EXPECT_EQ(ask(opened(wanted), server.url()).status.code(), Code::unauthenticated);
  wanted.server_name = c_str("keystone.internal");
  EXPECT_TRUE(ask(opened(wanted), server.url()).status.ok());
  EXPECT_EQ(server.requests().back().server_name, "keystone.internal");
}

}  // namespace
}  // namespace ccm::plugin
