// Delegated authentication and authorization when the API server does not answer as it should.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"
#include "test_certificates.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

TEST_F(EndpointTest, API_124_ReviewsThatFailOpenNothingAndPass) {
  start(reviews_through_proxy());
  proxy_->add({.target = "tokenreviews", .status = 500});
  EXPECT_EQ(ask("/metrics", scraper()).status, 401);
  proxy_->clear();
  EXPECT_EQ(ask("/metrics", scraper()).status, 200) << "a failure was remembered";

  proxy_->add({.target = "subjectaccessreviews", .status = 500});
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 500);
  proxy_->clear();
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 200) << "a failure was remembered";
}

TEST_F(EndpointTest, ASlowReviewHoldsUpNobodyElse) {
  start(reviews_through_proxy());
  proxy_->add({.target = "tokenreviews",
               .delay = std::chrono::seconds(13)});  // above what a review may take
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> slow = 0;
  std::thread scrape([&] { slow = ask("/metrics", scraper()).status; });
  while (slow == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(3)) {
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(ask("/livez").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(2));
  }
  scrape.join();
  EXPECT_EQ(slow, 401);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// The Go managers' own role does not have it (DO-307), so that is no reason to end.
TEST_F(EndpointTest, HOST_64_AForbiddenConfigMapIsToldOnceAndTheRestGoesOn) {
  const std::string kubeconfig = reviews_through_proxy();
  proxy_->add({.target = "extension-apiserver-authentication", .status = 403});
  start(kubeconfig);
  ASSERT_TRUE(logs("until a role allows reading the cluster's authentication settings"));
  EXPECT_TRUE(contains(manager_->log(), "extension-apiserver-authentication-reader"));
  EXPECT_EQ(ask("/metrics", scraper()).status, 200) << "tokens work";
  EXPECT_TRUE(manager_->running()) << manager_->log();
}

TEST_F(EndpointTest, HOST_64_AConfigMapThatCannotBeReadEndsTheProcessUnlessTolerated) {
  const std::string kubeconfig = reviews_through_proxy();
  proxy_->add({.target = "extension-apiserver-authentication", .status = 400});
  start(kubeconfig);
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended.has_value()) << manager_->log();
  EXPECT_EQ(ended->code, 1);
  EXPECT_TRUE(contains(manager_->log(), "extension-apiserver-authentication-reader"));

  start(kubeconfig, {"--authentication-tolerate-lookup-failure"});
  ASSERT_TRUE(eventually(patience(), [this] {
    return contains(manager_->log(), "Continuing without the cluster's authentication settings");
  })) << manager_->log();
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
}

TEST_F(EndpointTest, HOST_64_AnAbsentConfigMapNeedsNoTolerance) {
  const std::string kubeconfig = reviews_through_proxy();
  proxy_->add({.target = "extension-apiserver-authentication", .status = 404});
  for (const char* tolerate : {"false", "true"}) {
    start(kubeconfig, {std::string("--authentication-tolerate-lookup-failure=") + tolerate});
    ASSERT_TRUE(logs("The cluster has no authentication settings")) << manager_->log();
    EXPECT_EQ(ask("/metrics", scraper()).status, 200) << tolerate;
    EXPECT_EQ(ask("/metrics", nobody()).status, 403) << tolerate;
    EXPECT_TRUE(manager_->running()) << manager_->log();
    EXPECT_FALSE(contains(manager_->log(), "Continuing without")) << "it is no failure";
    manager_->stop();
  }
}

TEST_F(EndpointTest, HOST_63_SkippedLookUpsAskNobody) {
  const std::string kubeconfig = reviews_through_proxy();
  proxy_->add({.target = "extension-apiserver-authentication", .status = 403});
  start(kubeconfig, {"--authentication-skip-lookup"});
  ASSERT_TRUE(manager_->running());
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
  EXPECT_FALSE(contains(manager_->log(), "extension-apiserver-authentication"));
}

// A Pod with automountServiceAccountToken: false and a kubeconfig of its own has the variables of
// every Pod, and no account.
TEST_F(EndpointTest, HOST_62_69_91_APodWithoutAServiceAccountsTokenHasNobodyToAsk) {
  environment_ = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "1"}};
  start("");
  ASSERT_TRUE(manager_->running()) << manager_->log();
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/metrics", scraper()).status, 403) << "its token is ignored";
  const std::string log = manager_->log();
  for (const char* what : {"--authentication-kubeconfig", "--authorization-kubeconfig"}) {
    EXPECT_TRUE(
        contains(log, std::string(what) + " is not set, and the Pod's service account cannot"))
        << log;
  }
  EXPECT_TRUE(contains(log, "does the pod mount a service account token?")) << log;
}

TEST_F(EndpointTest, API_125_AnAbsentConfigMapIsWaitedFor) {
  if (real()) GTEST_SKIP() << "the real server makes its ConfigMap by itself";
  start(reviews());
  ASSERT_TRUE(eventually(patience(), [this] {
    return contains(manager_->log(), "The cluster has no authentication settings");
  })) << manager_->log();
  const test::Certificate authority = test::make_authority("cluster");
  test::CertificateRequest request;
  request.common_name = "carol";
  const test::Certificate carol = test::issue(authority, request);
  const auto name_in_answer = [&] {
    return ask_as(carol.certificate_pem, carol.key_pem, "/metrics").body;
  };
  EXPECT_TRUE(contains(name_in_answer(), "system:anonymous"))
      << "nobody vouches for certificates yet";
  ASSERT_TRUE(api_.create("/api/v1/namespaces/kube-system/configmaps",
                          {{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", "extension-apiserver-authentication"}}},
                           {"data", {{"client-ca-file", authority.certificate_pem}}}})
                  .ok());
  EXPECT_TRUE(eventually(patience(), [&] { return contains(name_in_answer(), "\\\"carol\\\""); }))
      << manager_->log();
  // Another authority takes its place.
  const json data = {{"client-ca-file", test::make_authority("other").certificate_pem}};
  ASSERT_TRUE(api_.patch("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-"
                         "authentication",
                         support::kMergePatch, {{"data", data}})
                  .ok());
  EXPECT_TRUE(eventually(patience(), [&] {
    return contains(name_in_answer(), "\"Unauthorized\"");
  })) << manager_->log();
}

TEST_F(EndpointTest, HOST_66_TheClustersClientCertificatesCount) {
  if (!real()) GTEST_SKIP() << "the sandbox has no client certificates";
  start(reviews());
  const support::Credentials admin = support::read_kubeconfig(server_.kubeconfig());
  EXPECT_TRUE(eventually(patience(), [&] {
    return ask_as(admin.client_certificate, admin.client_key, "/metrics").status == 200;
  })) << "system:masters pass without a review";
}

}  // namespace
}  // namespace ccm::e2e
