// A non-blocking provider in C by the helpers of ccm/c, and those helpers.
#include <ccm/c/http.h>
#include <ccm/c/request.h>
#include <ccm/c/text.h>
#include <ccm/load_balancers.hpp>
#include <ccm/testing/fake_component.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

extern "C" const ccm_plugin* c_cloud_plugin(void);

namespace ccm {
namespace {

using testing::FakeComponent;
using testing::FakeHost;

struct CCloud : ::testing::Test {
  FakeHost host;
  FakeComponent cloud{host, c_cloud_plugin(), "cloud"};
  ~CCloud() override { EXPECT_TRUE(host.faults().empty()); }
};

TEST_F(CCloud, TheManifestComesFromItsFile) {
  ASSERT_TRUE(cloud.created().ok()) << cloud.created().message();
  EXPECT_TRUE(cloud.nonblocking());
  EXPECT_EQ(view(c_cloud_plugin()->manifest),
            "{\n  \"id\": \"test.c-cloud\",\n  \"nonblocking\": true\n}\n");
}

TEST_F(CCloud, ListsByHttp) {
  host.http.expect("GET", "https://cloud/machines")
      .answer(200,
              R"({"total": 2, "machines": [{"id": "c://1", "name": "a"},
                                                {"id": "c://2", "name": "b"}]})");
  const auto list = cloud.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 2U);
  EXPECT_EQ(list->instances[1].provider_id, "c://2");
}

TEST_F(CCloud, FailuresKeepTheirClass) {
  host.http.expect("GET", "https://cloud/machines").answer(200, R"({"total": 3, "machines": []})");
  EXPECT_EQ(cloud.list().status().message(), "half a list");
  host.http.expect("GET", "https://cloud/machines").answer(200, "no JSON");
  EXPECT_EQ(cloud.list().status().message(), "ListMachines: the answer is no JSON object");
  host.http.expect("GET", "https://cloud/machines").answer(403, "");
  const Status refused = cloud.list().status();
  EXPECT_EQ(refused.error_class(), ErrorClass::auth);
  EXPECT_EQ(refused.message(), "ListMachines: HTTP 403");
}

TEST_F(CCloud, LoadBalancersAreDriven) {
  host.http.expect("PUT", "https://cloud/lbs/u%2F1").answer(200, R"({"id": "lb-1"})");
  LoadBalancerService service;
  service.uid = "u/1";
  service.name = "say \"hi\"\n";
  const auto made = cloud.ensure_load_balancer(service, Backends());
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->id, "lb-1");
  EXPECT_EQ(made->state, LoadBalancerState::pending);
  EXPECT_EQ(host.http.requests().back().body, R"({"name":"say \"hi\"\u000a","backends":0})");
  const Status removed = cloud.delete_load_balancer(service);
  EXPECT_EQ(removed.reason(), CCM_REASON_NOT_OWNED);
  EXPECT_EQ(removed.code(), Code::failed_precondition);
  EXPECT_EQ(removed.error_class(), ErrorClass::none);
  EXPECT_EQ(cloud.observe_load_balancer(service, Backends()).status().code(), Code::unimplemented);
}

TEST(CHelpers, R_6_SeesWhatARequestPointsTo) {
  auto port = sized<ccm_service_port>();
  const ccm_service_port* const ports[] = {&port};
  auto service = sized<ccm_service>();
  service.ports = ports;
  service.port_count = 1;
  auto backend = sized<ccm_backend>();
  const ccm_backend* const backends[] = {&backend};
  auto request = sized<ccm_load_balancer_request>();
  request.service = &service;
  request.backends = backends;
  request.backend_count = 1;
  service.flags = CCM_SERVICE_LOCAL_TRAFFIC;
  EXPECT_TRUE(ccm_known_load_balancer_request(&request));
  for (uint32_t* flags : {&request.flags, &service.flags, &port.flags, &backend.flags}) {
    *flags |= 1U << 20U;
    EXPECT_FALSE(ccm_known_load_balancer_request(&request));
    *flags &= ~(1U << 20U);
  }
  auto node = sized<ccm_node_identity>();
  auto get = sized<ccm_get_instance_request>();
  get.node = &node;
  const ccm_node_identity* const nodes[] = {&node};
  auto describe = sized<ccm_describe_instances_request>();
  describe.nodes = nodes;
  describe.node_count = 1;
  auto route = sized<ccm_route>();
  const ccm_route* const routes[] = {&route};
  auto apply = sized<ccm_apply_routes_request>();
  apply.add = routes;
  apply.add_count = 1;
  EXPECT_TRUE(ccm_known_get_instance_request(&get) &&
              ccm_known_describe_instances_request(&describe) &&
              ccm_known_apply_routes_request(&apply));
  node.flags = route.flags = 1U << 20U;
  EXPECT_FALSE(ccm_known_get_instance_request(&get));
  EXPECT_FALSE(ccm_known_describe_instances_request(&describe));
  EXPECT_FALSE(ccm_known_apply_routes_request(&apply));
}

TEST(CHelpers, AnswersBecomeFailures) {
  const ccm_key_value headers[] = {{ccm_text("date"), ccm_text("now")},
                                   {ccm_text("retry-after"), ccm_text("7")}};
  auto response = sized<ccm_http_response>();
  response.headers = headers;
  response.header_count = 2;
  EXPECT_TRUE(ccm_is(ccm_header(&response, "date"), "now"));
  EXPECT_TRUE(ccm_is(ccm_header(&response, "server"), ""));
  const std::vector<std::pair<uint32_t, std::pair<int32_t, int32_t>>> wanted = {
      {302, {CCM_CODE_UNKNOWN, CCM_CLASS_NONE}},
      {400, {CCM_CODE_FAILED_PRECONDITION, CCM_CLASS_INVALID_SPEC}},
      {401, {CCM_CODE_UNAUTHENTICATED, CCM_CLASS_AUTH}},
      {403, {CCM_CODE_PERMISSION_DENIED, CCM_CLASS_AUTH}},
      {404, {CCM_CODE_UNKNOWN, CCM_CLASS_NONE}},
      {408, {CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE}},
      {409, {CCM_CODE_ABORTED, CCM_CLASS_CONFLICT}},
      {412, {CCM_CODE_ABORTED, CCM_CLASS_CONFLICT}},
      {418, {CCM_CODE_UNKNOWN, CCM_CLASS_NONE}},
      {422, {CCM_CODE_FAILED_PRECONDITION, CCM_CLASS_INVALID_SPEC}},
      {429, {CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_THROTTLED}},
      {501, {CCM_CODE_UNIMPLEMENTED, CCM_CLASS_UNSUPPORTED}},
      {503, {CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE}}};
  for (const auto& [status_code, expected] : wanted) {
    response.status_code = status_code;
    const ccm_status failure = ccm_http_failure(&response);
    EXPECT_EQ(failure.code, expected.first) << status_code;
    EXPECT_EQ(failure.error_class, expected.second) << status_code;
    EXPECT_EQ(failure.retry_after_ms, 7'000);
  }
}

TEST(CHelpers, NumbersAreWholeOrNone) {
  EXPECT_EQ(ccm_int_of(ccm_text("-12"), 5), -12);
  EXPECT_EQ(ccm_int_of(ccm_text("9223372036854775807"), 5), INT64_MAX);
  for (const char* text : {"", "-", " 1", "+1", "1.5", "1x", "9223372036854775808"}) {
    EXPECT_EQ(ccm_int_of(ccm_text(text), 5), 5) << text;
  }
}

TEST(CHelpers, BuffersGrow) {
  ccm_buffer buffer{};
  std::string same;
  for (int i = 0; i < 2'000; ++i) {
    ccm_append_format(&buffer, "%d,", i);
    same += std::to_string(i) + ",";
  }
  EXPECT_EQ(view(ccm_borrow(&buffer)), same);
  EXPECT_EQ(buffer.data[buffer.length], '\0');
  ccm_free(&buffer);
  ccm_append(&buffer, nullptr);
  ccm_append_text(&buffer, ccm_str{nullptr, 7});
  EXPECT_EQ(buffer.length, 0U);
  ccm_append_json(&buffer, c_str(std::string_view("a\\\x01\0z", 5)));
  EXPECT_EQ(view(ccm_borrow(&buffer)), R"("a\\\u0001\u0000z")");
  ccm_free(&buffer);
  ccm_append_json(&buffer, ccm_str{nullptr, 0});
  ccm_append_percent_encoded(&buffer, c_str(std::string_view("a-b/\xc3\xa4\0", 7)));
  EXPECT_EQ(view(ccm_borrow(&buffer)), "\"\"a-b%2F%C3%A4%00");
  EXPECT_EQ(buffer.failed, 0U);
  ccm_free(&buffer);
}

}  // namespace
}  // namespace ccm
