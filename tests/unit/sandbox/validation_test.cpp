#include "api/names.hpp"
#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class Validation : public ApiFixture {
 protected:
  // The field of the first cause of the 422 that `text`, a node, earns.
  std::string create_problem(const std::string& text) {
    Answer answer = post(kNodes, Json::parse(text));
    if (answer.status != 422) return "status " + std::to_string(answer.status);
    EXPECT_EQ(answer.reason(), "Invalid");
    return answer.body.at("details").at("causes")[0].at("field");
  }
  int patch_status(const std::string& path, const char* text) {
    return patch(path, Json::parse(text), kMerge).status;
  }
};

TEST(Names, LabelsSubdomainsAndQualifiedNames) {
  EXPECT_FALSE(dns_subdomain_problem("a.b-c.d0"));
  EXPECT_FALSE(dns_label_problem("a-b"));
  EXPECT_FALSE(qualified_name_problem("example.com/Name_1.x"));
  EXPECT_FALSE(label_value_problem(""));
  for (const char* bad : {"", "A", "-a", "a-", "a..b", "a_b"}) {
    EXPECT_TRUE(dns_subdomain_problem(bad)) << bad;
  }
  for (const char* bad : {"", "/a", "a/", "a/b/c", "-a", "UPPER/a"}) {
    EXPECT_TRUE(qualified_name_problem(bad)) << bad;
  }
  EXPECT_TRUE(label_value_problem(std::string(64, 'a')));
  EXPECT_TRUE(dns_label_problem(std::string(64, 'a')));
}

TEST_F(Validation, API_58_EachProblemIsACause) {
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"UPPER"}})"), "metadata.name");
  EXPECT_EQ(create_problem(R"({"metadata":{}})"), "metadata.name");
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"a","labels":{"x":"-"}}})"), "metadata.labels");
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"a","annotations":{"a b":""}}})"),
            "metadata.annotations");
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"a","finalizers":["plain"]}})"),
            "metadata.finalizers[0]");
  Answer two = post(kNodes, Json::parse(R"({"metadata":{"name":"a","labels":{"x":"-","y":"-"}}})"));
  EXPECT_EQ(two.body.at("details").at("causes").size(), 2u);
}

TEST_F(Validation, API_57_TaintsAreUniqueByKeyAndEffect) {
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"a"},"spec":{"taints":[
      {"key":"k","effect":"NoSchedule"},{"key":"k","effect":"NoSchedule"}]}})"),
            "metadata.taints[1]");
  EXPECT_EQ(create_problem(R"({"metadata":{"name":"a"},"spec":{"taints":[
      {"key":"k","effect":"Never"}]}})"),
            "metadata.taints[0].effect");
}

TEST_F(Validation, API_57_ProviderIdIsSetOnce) {
  make_node("a");
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"providerID":"sandbox://1"}})"), 200);
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"providerID":"sandbox://1"}})"), 200);
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"providerID":"sandbox://2"}})"), 422);
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"providerID":null}})"), 422);
}

TEST_F(Validation, API_57_PodCidrsAreSetOnceInBothForms) {
  make_node("a");
  Json node =
      patch("/api/v1/nodes/a", Json::parse(R"({"spec":{"podCIDR":"10.0.0.0/24"}})"), kMerge).body;
  EXPECT_EQ(node.at("spec").at("podCIDRs"), Json::parse(R"(["10.0.0.0/24"])"));
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"podCIDR":"10.0.1.0/24"}})"), 422);
  // The single form wins where the two differ, so this changes nothing.
  EXPECT_EQ(patch_status("/api/v1/nodes/a", R"({"spec":{"podCIDRs":["10.0.1.0/24"]}})"), 200);
  EXPECT_EQ(get("/api/v1/nodes/a").body.at("spec").at("podCIDRs"), node.at("spec").at("podCIDRs"));
}

TEST_F(Validation, API_57_AddressesAreUnique) {
  make_node("a");
  EXPECT_EQ(patch_status("/api/v1/nodes/a/status", R"({"status":{"addresses":[
      {"type":"InternalIP","address":"1"},{"type":"InternalIP","address":"2"}]}})"),
            200);
  EXPECT_EQ(patch_status("/api/v1/nodes/a/status", R"({"status":{"addresses":[
      {"type":"InternalIP","address":"1"},{"type":"InternalIP","address":"1"}]}})"),
            422);
}

TEST_F(Validation, API_61_LeaseDurationsArePositive) {
  std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  Json lease = Json::parse(R"({"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":0}})");
  EXPECT_EQ(post(leases, lease).status, 422);
  lease["spec"]["leaseDurationSeconds"] = 15;
  lease["spec"]["leaseTransitions"] = -1;
  EXPECT_EQ(post(leases, lease).status, 422);
  lease["spec"]["leaseTransitions"] = 0;
  EXPECT_EQ(post(leases, lease).status, 201);
}

TEST_F(Validation, API_109_EventsStayWithTheirObject) {
  Json event = Json::parse(R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Node"}})");
  EXPECT_EQ(post("/api/v1/namespaces/default/events", event).status, 201);
  EXPECT_EQ(post("/api/v1/namespaces/kube-system/events", event).status, 422);
  EXPECT_EQ(post("/api/v1/namespaces/missing/events", event).status, 404);
}

TEST_F(Validation, ServicesGetAddressesAndPortsOnce) {
  std::string services = "/api/v1/namespaces/default/services";
  Json service = Json::parse(R"({"metadata":{"name":"s"},
      "spec":{"type":"LoadBalancer","ports":[{"port":80}]}})");
  Json created = post(services, service).body;
  EXPECT_GE(created.at("spec").at("ports")[0].at("nodePort"), 30000);
  EXPECT_EQ(created.at("spec").at("ports")[0].at("targetPort"), 80);
  Json updated = put(services + "/s", service).body;
  EXPECT_EQ(updated.at("spec").at("clusterIP"), created.at("spec").at("clusterIP"));
  EXPECT_EQ(patch_status(services + "/s", R"({"spec":{"clusterIP":"10.96.9.9"}})"), 422);
  Json change = Json::parse(R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}})");
  EXPECT_EQ(patch(services + "/s/status", change, kMerge).body.at("status"),
            Json::parse(R"({"loadBalancer":{"ingress":[{"ip":"192.0.2.1","ipMode":"VIP"}]}})"));
  EXPECT_EQ(patch_status(services + "/s", R"({"spec":{"ports":[{"port":0}]}})"), 422);
}

}  // namespace
}  // namespace sandbox::testing
