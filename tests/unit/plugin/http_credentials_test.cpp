#include "base/log.hpp"
#include "plugin/host_services/http_access.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace ccm::plugin {
namespace {

class CredentialGuardTest : public testing::Test {
 protected:
  CredentialGuardTest() {
    log::redirect([this](std::string_view line) { log_.append(line).append("\n"); });
  }
  ~CredentialGuardTest() override { log::redirect({}); }

  SendHttp guard(bool allowed) {
    const auto send = [this](const net::Request& request,
                             const std::function<void(Result<net::Response>)>& done) {
      sent_.push_back(request.url);
      done(net::Response{});
    };
    return guard_credentials(loop_.get_executor(), send, allowed);
  }
  static net::Request request(std::string url, std::vector<net::Header> headers) {
    net::Request made;
    made.url = std::move(url);
    made.headers = std::move(headers);
    return made;
  }
  // The failure, if any; nothing when it was sent.
  Status failure(const SendHttp& send, const std::string& url, const std::string& header) {
    std::optional<Status> status;
    const std::size_t before = sent_.size();
    send(request(url, {{header, "Bearer hush-4711"}}),
         [&status](const Result<net::Response>& result) { status = result.status(); });
    const bool passed = sent_.size() > before;
    EXPECT_EQ(status.has_value(), passed) << "a failure does not come inside the call";
    loop_.restart();
    loop_.poll();
    return status.value_or(Status(Code::internal, "no answer"));
  }

  boost::asio::io_context loop_{1};
  std::vector<std::string> sent_;
  std::string log_;
};

TEST_F(CredentialGuardTest, ACredentialDoesNotLeaveTheMachineInTheClear) {
  const SendHttp send = guard(false);
  for (const char* header : {"Authorization", "authorization", "X-Auth-Token", "X-Subject-Token",
                             "Cookie", "Proxy-Authorization", "X-Api-Key", "Private-Token"}) {
    const Status status = failure(send, "http://api.cloud.example/v2/x", header);
    EXPECT_EQ(status.code(), Code::invalid_argument) << header;
    EXPECT_EQ(status.reason(), "PlaintextCredential");
    EXPECT_NE(status.message().find("http://api.cloud.example:80"), std::string::npos);
    EXPECT_NE(status.message().find("--allow-plaintext-cloud-credentials"), std::string::npos);
    EXPECT_EQ(status.message().find("hush"), std::string::npos);
  }
  for (const char* url :
       {"http://10.0.0.1/?access_token=hush", "http://127.0.0.1.example/?a=b&api_key=hush"}) {
    EXPECT_EQ(failure(send, url, "Accept").code(), Code::invalid_argument) << url;
  }
  EXPECT_TRUE(sent_.empty());
}

TEST_F(CredentialGuardTest, WhatNobodyElseSeesIsSent) {
  const SendHttp send = guard(false);
  for (const char* url :
       {"https://api.cloud.example/", "http://127.0.0.1:8080/x", "http://127.9.9.9/",
        "http://[::1]:80/", "http://localhost/", "http://[::ffff:127.0.0.1]/"}) {
    EXPECT_TRUE(failure(send, url, "Authorization").ok()) << url;
  }
  for (const char* url :
       {"http://169.254.169.254/latest/api/token", "http://[fd00:ec2::23]/v1/credentials"}) {
    EXPECT_TRUE(failure(send, url, "Authorization").ok()) << url;
  }
  EXPECT_TRUE(failure(send, "no url", "Authorization").ok()) << "the client says what is wrong";
  EXPECT_EQ(sent_.size(), 9u);
  EXPECT_EQ(log_, "");
}

TEST_F(CredentialGuardTest, TheFlagAllowsItAndTheLogSaysSoOnceForEachServer) {
  const SendHttp send = guard(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(failure(send, "http://api.cloud.example/v2/x", "Authorization").ok());
    EXPECT_TRUE(failure(send, "http://other.cloud.example/", "Authorization").ok());
  }
  EXPECT_EQ(sent_.size(), 6u);
  const std::string line = "A credential is sent without encryption";
  const auto first = log_.find(line);
  ASSERT_NE(first, std::string::npos);
  const auto second = log_.find(line, first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_EQ(log_.find(line, second + 1), std::string::npos) << log_;
  EXPECT_EQ(log_.find("hush"), std::string::npos);
}

}  // namespace
}  // namespace ccm::plugin
