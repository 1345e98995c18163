// Client certificates and exec plugins.
#include "client_fixture.hpp"
#include "kube/client.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerRequest;
using testing::HasSubstr;

class TlsClientTest : public KubeTest {};

TEST_F(TlsClientTest, API_82_ClientCertificateAndItsRotation) {
  const test::Certificate authority = test::make_authority("authority");
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(authority);
  options.client_authority_pem = authority.certificate_pem;
  test::TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); }, options);
  TestFolder folder;
  const auto write = [&](const std::string& name) {
    test::CertificateRequest request;
    request.common_name = name;
    const test::Certificate certificate = test::issue(authority, request);
    folder.write("tls.crt", certificate.certificate_pem);
    folder.write("tls.key", certificate.key_pem);
  };
  write("first");
  ClientConfig config = config_for(server);
  config.ca_data = authority.certificate_pem;
  config.client_certificate_file = folder.path() + "/tls.crt";
  config.client_key_file = folder.path() + "/tls.key";
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(client.check().ok()) << client.check().message();
  ASSERT_TRUE(run(client.send(read_of(resources::nodes(), "", "n"))).ok());
  write("second");
  // Files are looked at once a second at most.
  run_until([&] {
    (void)run(client.send(read_of(resources::nodes(), "", "n")));
    return server.requests().back().client_subject.find("second") != std::string::npos;
  });
  EXPECT_THAT(server.requests().front().client_subject, HasSubstr("first"));
}

TEST_F(TlsClientTest, ForeignServerIsNotTrusted) {
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(test::make_authority("theirs"));
  test::TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); }, options);
  ClientConfig config = config_for(server);
  config.ca_data = test::make_authority("ours").certificate_pem;
  config.token = "s3cr3t";
  Client client(loop_.get_executor(), config, ClientOptions());
  const auto body = run(client.send(read_of(resources::nodes(), "", "n")));
  EXPECT_EQ(body.status().code(), Code::unauthenticated);
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(TlsClientTest, API_89_ExecTokenIsSentAndRenewedAfter401) {
  const test::Certificate authority = test::make_authority("authority");
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(authority);
  test::TestHttpServer server(
      [](const ServerRequest& request) {
        return request.header("Authorization") == "Bearer t2" ? json_reply("{}")
                                                              : status_reply(401, "Unauthorized");
      },
      options);
  TestFolder folder;
  ClientConfig config = config_for(server);
  config.ca_data = authority.certificate_pem;
  ExecConfig exec;
  exec.api_version = "client.authentication.k8s.io/v1";
  exec.interactive_mode = "Never";
  exec.command =
      folder.write("plugin",
                   "#!/bin/sh\necho x >>" + folder.path() + "/runs\n" +
                       "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\",\"status\":"
                       "{\"token\":\"t%s\"}}' " +
                       exec.api_version + " $(wc -l <" + folder.path() + "/runs)\n",
                   true);
  config.exec = exec;
  Client client(loop_.get_executor(), config, ClientOptions());
  const auto body = run(client.send(read_of(resources::nodes(), "", "n")));
  EXPECT_TRUE(body.ok()) << body.status().message();
  EXPECT_EQ(server.requests().size(), 2u);
}

}  // namespace
}  // namespace ccm::kube
