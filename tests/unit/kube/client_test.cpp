// Requests as the API server sees them.
#include "kube/client.hpp"

#include "base/log.hpp"
#include "client_fixture.hpp"
#include "kube/client_metrics.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using test::ServerRequest;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ClientTest, API_1_5_106_RequestsCarryPathAndHeaders) {
  api_.expect({"/api/v1/nodes/n1"}, json_reply(node_json("n1", 5)));
  const auto body = run(client().send(read_of(nodes_, "", "n1")));
  ASSERT_TRUE(body.ok()) << body.status().message();
  EXPECT_EQ(*body, node_json("n1", 5));
  EXPECT_EQ(request(0).target, "/api/v1/nodes/n1");
  EXPECT_EQ(request(0).header("Accept"), "application/json");
  EXPECT_EQ(request(0).header("User-Agent"), "ccm-test");
  EXPECT_EQ(request(0).header("Authorization"), "");
}

TEST_F(ClientTest, MET_50_TransportsAreCounted) {
  const TransportCounts& counts = TransportCounts::of_process();
  const auto present = counts.present.load();
  const auto made = counts.made.load();
  const auto shared = counts.shared.load();
  {
    const Client first = client();
    const Client copy = first;
    const Client derived = first.derive(ClientOptions());
    EXPECT_EQ(counts.present, present + 1);
  }
  EXPECT_EQ(counts.present, present) << "the last client takes the transport along";
  EXPECT_EQ(counts.made, made + 1);
  EXPECT_EQ(counts.shared, shared + 1) << "a copy is the same client";
}

TEST_F(ClientTest, API_2_ServerPrefixPrecedesThePath) {
  api_.expect({"/prefix/api/v1/nodes/n1"}, json_reply("{}"));
  ClientConfig config = config_for(api_.server());
  config.server += "/prefix";
  Client prefixed(loop_.get_executor(), config, ClientOptions());
  EXPECT_TRUE(run(prefixed.send(read_of(nodes_, "", "n1"))).ok());
}

TEST_F(ClientTest, API_47_WritesUseMethodMediaTypeAndOptions) {
  for (int i = 0; i < 8; ++i) api_.expect({"/"}, json_reply("{}"));
  Client client = this->client();
  WriteOptions options;
  options.field_manager = "ccm node";
  const std::string body = R"({"a":1})";
  ASSERT_TRUE(
      run(client.send(write_of(ObjectRequest::Verb::create, leases_, "ns", "", body, options)))
          .ok());
  ASSERT_TRUE(
      run(client.send(write_of(ObjectRequest::Verb::update, leases_, "ns", "l", body))).ok());
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::json, "[]"))).ok());
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::merge, body))).ok());
  options.subresource = "status";
  ASSERT_TRUE(
      run(client.send(patch_of(nodes_, "n", PatchType::strategic_merge, body, options))).ok());
  options.subresource.clear();
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::apply, body, options))).ok());
  DeleteOptions preconditions;
  preconditions.uid = "u-1";
  preconditions.resource_version = "7";
  ASSERT_TRUE(run(client.send(removal_of(nodes_, "n", preconditions))).ok());
  const Resource accounts = *Resource::parse("v1/serviceaccounts");
  options.subresource = "token";
  ASSERT_TRUE(
      run(client.send(write_of(ObjectRequest::Verb::create, accounts, "ns", "sa", body, options)))
          .ok());
  std::vector<std::string> seen;
  for (const ServerRequest& r : api_.server().requests()) {
    seen.push_back(r.method + " " + r.target + " " + r.header("Content-Type"));
  }
  EXPECT_THAT(
      seen,
      ElementsAre("POST /apis/coordination.k8s.io/v1/namespaces/ns/leases?fieldManager=ccm%20node "
                  "application/json",
                  "PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/l application/json",
                  "PATCH /api/v1/nodes/n application/json-patch+json",
                  "PATCH /api/v1/nodes/n application/merge-patch+json",
                  "PATCH /api/v1/nodes/n/status?fieldManager=ccm%20node "
                  "application/strategic-merge-patch+json",
                  "PATCH /api/v1/nodes/n?fieldManager=ccm%20node "
                  "application/apply-patch+yaml",
                  "DELETE /api/v1/nodes/n application/json",
                  "POST /api/v1/namespaces/ns/serviceaccounts/sa/token application/json"));
  EXPECT_EQ(request(0).body, body);
  EXPECT_EQ(
      request(6).body,
      R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u-1","resourceVersion":"7"}})");
}

TEST_F(ClientTest, API_7_APatchMayAskForTheMetadataOnly) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  WriteOptions options;
  Client client = this->client();
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::merge, "{}", options))).ok());
  options.answer_metadata = true;
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::merge, "{}", options))).ok());
  EXPECT_EQ(request(0).header("Accept"), "application/json");
  EXPECT_EQ(request(1).header("Accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(ClientTest, API_16_18_132_ListParameters) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  ListOptions options;
  options.label_selector = "a=b,c!=d";
  options.limit = 10;
  options.resource_version = "5";
  options.resource_version_match = "NotOlderThan";
  ASSERT_TRUE(run(client().send(list_of(leases_, "ns", options))).ok());
  options.continue_token = "t";
  ASSERT_TRUE(run(client().send(list_of(leases_, "", options))).ok());
  EXPECT_EQ(
      request(0).target,
      "/apis/coordination.k8s.io/v1/namespaces/ns/leases?labelSelector=a%3Db%2Cc%21%3Dd&limit=10&"
      "resourceVersion=5&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(
      request(1).target,
      "/apis/coordination.k8s.io/v1/leases?labelSelector=a%3Db%2Cc%21%3Dd&limit=10&continue=t");
}

TEST_F(ClientTest, API_85_ImpersonationHeaders) {
  api_.expect({"/"}, json_reply("{}"));
  ClientConfig config = config_for(api_.server());
  config.impersonate.user = "jane";
  config.impersonate.uid = "7";
  config.impersonate.groups = {"a", "b"};
  config.impersonate.extra = {{"example.com/scope", {"x"}}};
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  EXPECT_EQ(request(0).header("Impersonate-User"), "jane");
  EXPECT_EQ(request(0).header("Impersonate-Uid"), "7");
  EXPECT_EQ(request(0).header("Impersonate-Extra-example.com%2Fscope"), "x");
  std::vector<std::string> groups;
  for (const auto& [name, value] : request(0).headers) {
    if (name == "Impersonate-Group") groups.push_back(value);
  }
  EXPECT_THAT(groups, ElementsAre("a", "b"));
}

TEST_F(ClientTest, API_107_WarningsAreLoggedOnce) {
  ServerReply warned = json_reply("{}");
  warned.headers.emplace_back("Warning", R"(299 - "v1 Thing is deprecated")");
  api_.expect({"/"}, warned);
  api_.expect({"/"}, warned);
  std::vector<std::string> lines;
  log::redirect([&](std::string_view line) { lines.emplace_back(line); });
  Client client = this->client();
  ASSERT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  ASSERT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  log::redirect({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("v1 Thing is deprecated"));
}

// A body takes many times its size when it is read as JSON.
TEST_F(ClientTest, Issue37_13_AnAnswerIsNotLargerThanAnyObject) {
  const std::string nine(9u << 20, ' ');
  const std::string two(2u << 20, ' ');
  api_.expect({"/leases/l"}, json_reply(nine));
  api_.expect({"/leases/l"}, json_reply(two));
  api_.expect({"/leases/l"}, json_reply(two));
  api_.expect({"/leases?"}, json_reply(nine));
  Client api = client();
  CallOptions small;
  small.max_response_bytes = 1u << 20;
  const Result<std::string> large = run(api.send(read_of(leases_, "kube-system", "l")));
  EXPECT_EQ(large.status().code(), Code::resource_exhausted);
  EXPECT_NE(large.status().message().find("the answer's body is larger than 8388608 bytes"),
            std::string::npos)
      << large.status().message();
  EXPECT_TRUE(run(api.send(read_of(leases_, "kube-system", "l"))).ok());
  EXPECT_EQ(run(api.send(read_of(leases_, "kube-system", "l", small))).status().code(),
            Code::resource_exhausted);
  ListOptions options;
  options.limit = 500;
  EXPECT_TRUE(run(api.send(list_of(leases_, "kube-system", options))).ok());
}

TEST_F(ClientTest, RawPathsForHealthAndReviews) {
  api_.expect({"/healthz"}, [] {
    ServerReply reply;
    reply.body = "ok";
    return reply;
  }());
  EXPECT_EQ(*run(client().raw("GET", "/healthz?verbose", "", CallOptions())), "ok");
  api_.expect({"/readyz"}, [] {
    ServerReply reply;
    reply.status = 500;
    reply.body = "not ready";
    return reply;
  }());
  EXPECT_EQ(run(client().raw("GET", "/readyz", "", CallOptions())).status().code(),
            Code::unavailable);
}

}  // namespace
}  // namespace ccm::kube
