// The status subresource.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class StatusSubresource : public Contract {
 protected:
  StatusSubresource() : node_(create_node()) {}
  json addresses(const char* ip) {
    return json::array({{{"type", "InternalIP"}, {"address", ip}}});
  }
  std::string status_path() { return node_path(node_) + "/status"; }
  json read() { return must(api().get(node_path(node_))); }

  json node_;
};

TEST_F(StatusSubresource, API_51_PatchOfStatusIgnoresSpec) {
  const json result = must(api().patch(
      status_path(), kMergePatch,
      {{"spec", {{"unschedulable", true}}}, {"status", {{"addresses", addresses("10.0.0.1")}}}}));
  EXPECT_EQ(result.at("status").at("addresses"), addresses("10.0.0.1"));
  EXPECT_FALSE(result.at("spec").value("unschedulable", false));
}

TEST_F(StatusSubresource, API_51_PutOfStatusIgnoresSpec) {
  json object = node_;
  object["spec"]["unschedulable"] = true;
  object["status"]["addresses"] = addresses("10.0.0.1");
  const json result = must(api().replace(status_path(), object));
  EXPECT_EQ(result.at("status").at("addresses"), addresses("10.0.0.1"));
  EXPECT_FALSE(result.at("spec").value("unschedulable", false));
}

TEST_F(StatusSubresource, API_51_WritesToTheMainResourceIgnoreStatus) {
  must(api().patch(status_path(), kMergePatch,
                   {{"status", {{"addresses", addresses("10.0.0.1")}}}}));
  const std::string before = version(read());
  const json patched = must(api().patch(node_path(node_), kMergePatch,
                                        {{"status", {{"addresses", addresses("10.0.0.2")}}}}));
  EXPECT_EQ(patched.at("status").at("addresses"), addresses("10.0.0.1"));
  EXPECT_EQ(version(patched), before);
  json object = read();
  object["status"]["addresses"] = addresses("10.0.0.3");
  const json replaced = must(api().replace(node_path(node_), object));
  EXPECT_EQ(replaced.at("status").at("addresses"), addresses("10.0.0.1"));
}

TEST_F(StatusSubresource, API_51_PutWithoutStatusKeepsIt) {
  must(api().patch(status_path(), kMergePatch,
                   {{"status", {{"addresses", addresses("10.0.0.1")}}}}));
  json object = read();
  object.erase("status");
  object["metadata"]["labels"]["new"] = "1";
  const json replaced = must(api().replace(node_path(node_), object));
  EXPECT_EQ(replaced.at("status").at("addresses"), addresses("10.0.0.1"));
}

TEST_F(StatusSubresource, API_51_StatusWritesApplyLabelsAndAnnotations) {
  const json result = must(api().patch(
      status_path(), kMergePatch,
      {{"metadata", {{"labels", {{"from", "status"}}}, {"annotations", {{"also", "1"}}}}}}));
  EXPECT_EQ(result.at("metadata").at("labels").at("from"), "status");
  EXPECT_EQ(result.at("metadata").at("annotations").at("also"), "1");
}

TEST_F(StatusSubresource, API_51_GetOfStatusIsTheObject) {
  const json object = must(api().get(status_path()));
  EXPECT_EQ(object.at("kind"), "Node");
  EXPECT_EQ(object.at("metadata").at("uid"), node_.at("metadata").at("uid"));
}

TEST_F(StatusSubresource, API_51_ServicesWorkTheSameWay) {
  const std::string services = make_namespace() + "/services";
  const json service = must(
      api().create(services, {{"apiVersion", "v1"},
                              {"kind", "Service"},
                              {"metadata", {{"name", "web"}}},
                              {"spec", {{"type", "LoadBalancer"}, {"ports", {{{"port", 80}}}}}}}));
  const json ingress = {{"loadBalancer", {{"ingress", {{{"ip", "192.0.2.1"}}}}}}};
  const json ignored = must(api().patch(services + "/web", kMergePatch, {{"status", ingress}}));
  EXPECT_EQ(version(ignored), version(service));
  const json written =
      must(api().patch(services + "/web/status", kMergePatch,
                       {{"status", ingress}, {"spec", {{"externalTrafficPolicy", "Local"}}}}));
  EXPECT_EQ(written.at("status").at("loadBalancer").at("ingress").at(0).at("ip"), "192.0.2.1");
  EXPECT_NE(written.at("spec").value("externalTrafficPolicy", ""), "Local");
}

TEST_F(StatusSubresource, API_51_UnknownSubresourceIsNotFound) {
  EXPECT_EQ(api().get(node_path(node_) + "/nothing").status, 404);
}

TEST_F(StatusSubresource, API_51_StatusOfAMissingNodeIsNotFound) {
  EXPECT_EQ(api().patch(kNodes + "/there-is-none/status", kMergePatch, json::object()).status, 404);
}

}  // namespace
}  // namespace ccm::contract
