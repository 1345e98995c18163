#include "plugin_files/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::plugin_files {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

json valid() {
  return json::parse(R"({
    "id": "com.example.cloud", "version": "1.2.3-rc.1+g12", "abi": "1.0", "vendor": "Example",
    "description": "a cloud", "language": "c++", "nonblocking": true, "maxParallel": 4,
    "needs": ["ccm.host.http/1"],
    "components": [
      {"kind": "provider", "name": "example", "interfaces": ["ccm.provider/1"],
       "providerIDPrefixes": ["example://"]},
      {"kind": "controller", "name": "example-firewall", "aliases": ["firewall"],
       "clientName": "firewall-controller", "enabledByDefault": false}],
    "rbac": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"],
              "resourceNames": ["a"], "controllers": ["example-firewall"]}]})");
}

// The only fault of a valid manifest after `change`.
std::string fault_after(const std::function<void(json&)>& change) {
  json document = valid();
  change(document);
  const ManifestReport report = parse_manifest(document.dump());
  EXPECT_FALSE(report.manifest.has_value());
  EXPECT_THAT(report.faults, SizeIs(1));
  return report.faults.empty() ? "" : report.faults[0];
}

TEST(Manifest, EveryFieldIsRead) {
  const ManifestReport report = parse_manifest(valid().dump());
  ASSERT_THAT(report.faults, IsEmpty());
  EXPECT_THAT(report.warnings, IsEmpty());
  const Manifest& manifest = *report.manifest;
  EXPECT_EQ(manifest.id, "com.example.cloud");
  EXPECT_EQ(manifest.version, "1.2.3-rc.1+g12");
  EXPECT_EQ(manifest.vendor, "Example");
  EXPECT_EQ(manifest.description, "a cloud");
  EXPECT_EQ(manifest.language, "c++");
  EXPECT_EQ(manifest.abi_major, 1U);
  EXPECT_EQ(manifest.abi_minor, 0U);
  EXPECT_TRUE(manifest.nonblocking);
  EXPECT_EQ(manifest.max_parallel, 4U);
  EXPECT_THAT(manifest.needs, ElementsAre("ccm.host.http/1"));
  ASSERT_EQ(manifest.components.size(), 2U);
  EXPECT_EQ(manifest.components[0].kind, ComponentKind::provider);
  EXPECT_EQ(manifest.components[0].client_name, "example");
  EXPECT_THAT(manifest.components[0].provider_id_prefixes, ElementsAre("example://"));
  EXPECT_EQ(manifest.components[1].client_name, "firewall-controller");
  EXPECT_FALSE(manifest.components[1].enabled_by_default);
  ASSERT_EQ(manifest.rbac.size(), 1U);
  EXPECT_THAT(manifest.rbac[0].resource_names, ElementsAre("a"));
  EXPECT_THAT(manifest.rbac[0].controllers, ElementsAre("example-firewall"));
}

TEST(Manifest, APluginMayNeedWhateverTheHostHas) {
  json document = valid();
  document["needs"] = json::array();
  for (const std::string_view id : host_interfaces()) document["needs"].push_back(id);
  EXPECT_THAT(parse_manifest(document.dump()).faults, IsEmpty());
}

TEST(Manifest, LeastOneHasDefaults) {
  const ManifestReport report = parse_manifest(
      R"({"id":"a","version":"0.0.1","abi":"1.0","components":[{"kind":"controller","name":"c"}]})");
  ASSERT_TRUE(report.manifest.has_value());
  EXPECT_FALSE(report.manifest->nonblocking);
  EXPECT_EQ(report.manifest->max_parallel, 1U);
  EXPECT_TRUE(report.manifest->components[0].enabled_by_default);
}

TEST(Manifest, HOST_75_AComponentIsFoundByNameAndAliasOfItsKind) {
  const auto manifest = *parse_manifest(valid().dump()).manifest;
  EXPECT_EQ(manifest.find(ComponentKind::controller, "firewall"), &manifest.components[1]);
  EXPECT_EQ(manifest.find(ComponentKind::provider, "example"), &manifest.components[0]);
  EXPECT_EQ(manifest.find(ComponentKind::controller, "example"), nullptr);
}

TEST(Manifest, UnknownFieldsAreWarnings) {
  json document = valid();
  document["licence"] = "MIT";
  document["components"][0]["color"] = "blue";
  const ManifestReport report = parse_manifest(document.dump());
  EXPECT_TRUE(report.manifest.has_value());
  EXPECT_THAT(report.warnings,
              testing::UnorderedElementsAre("licence: unknown field, ignored",
                                            "components[0].color: unknown field, ignored"));
}

TEST(Manifest, EachFaultHasALineOfItsOwn) {
  json document = valid();
  document.erase("id");
  document["version"] = 3;
  document["components"][1]["name"] = "Example_Firewall";
  EXPECT_THAT(
      parse_manifest(document.dump()).faults,
      testing::UnorderedElementsAre("id: is missing", "version: must be a string, not number",
                                    HasSubstr("components[1].name: \"Example_Firewall\"")));
}

TEST(Manifest, IdentityHasAShape) {
  for (const char* id : {"Example", "a..b", ".a", "a.", "a b", "a/b"}) {
    EXPECT_THAT(fault_after([&](json& m) { m["id"] = id; }), HasSubstr("id: \"")) << id;
  }
  for (const char* version : {"1", "1.2", "v1.2.3", "1.2.x", "1.2.3-", "1.2.3.4"}) {
    EXPECT_THAT(fault_after([&](json& m) { m["version"] = version; }),
                HasSubstr("must be MAJOR.MINOR.PATCH"))
        << version;
  }
  for (const char* abi : {"1", "1.", ".0", "1.0.0", "one.two", "-1.0"}) {
    EXPECT_THAT(fault_after([&](json& m) { m["abi"] = abi; }), HasSubstr("must be MAJOR.MINOR"))
        << abi;
  }
}

TEST(Manifest, MaxParallelHasARange) {
  for (const json& value :
       {json(0), json(-1), json(1025), json(1.5), json("4"), json(18446744073709551615ULL)}) {
    EXPECT_EQ(fault_after([&](json& m) { m["maxParallel"] = value; }),
              "maxParallel: must be an integer from 1 to 1024")
        << value;
  }
}

TEST(Manifest, ComponentsAreNeededAndUnique) {
  EXPECT_EQ(fault_after([](json& m) { m.erase("components"); }), "components: is missing");
  EXPECT_EQ(fault_after([](json& m) { m["components"] = json::array(); }),
            "components: must not be empty");
  EXPECT_EQ(fault_after([](json& m) {
              m["components"].push_back({{"kind", "controller"}, {"name", "firewall"}});
            }),
            "components[2]: the name \"firewall\" is already taken by another component");
}

TEST(Manifest, FieldsOfOneKindAreFaultsInTheOther) {
  EXPECT_EQ(fault_after([](json& m) { m["components"][0]["aliases"] = {"other"}; }),
            "components[0].aliases: is for controllers only");
  EXPECT_EQ(fault_after([](json& m) { m["components"][1]["providerIDPrefixes"] = {"x://"}; }),
            "components[1].providerIDPrefixes: is for providers only");
  EXPECT_THAT(fault_after([](json& m) { m["components"][0]["providerIDPrefixes"] = {"example"}; }),
              HasSubstr("must look like \"cloud://\""));
}

TEST(Manifest, InterfacesHaveAShape) {
  EXPECT_THAT(fault_after([](json& m) { m["needs"] = {"ccm.host.log"}; }),
              HasSubstr("needs: \"ccm.host.log\" is no interface id"));
  EXPECT_EQ(fault_after([](json& m) {
              m["needs"] = {"a/1", "a/1"};
            }),
            "needs[1]: \"a/1\" occurs twice");
  EXPECT_EQ(fault_after([](json& m) { m["needs"] = {1}; }),
            "needs[0]: must be a string, not number");
}

TEST(Manifest, RulesNeedGroupsResourcesAndVerbs) {
  EXPECT_EQ(fault_after([](json& m) { m["rbac"][0].erase("verbs"); }), "rbac[0].verbs: is missing");
  EXPECT_EQ(fault_after([](json& m) { m["rbac"][0]["resources"] = json::array(); }),
            "rbac[0].resources: must not be empty");
  // Else it would count for nobody, and the plugin would not wait for the right.
  EXPECT_EQ(fault_after([](json& m) { m["rbac"][0]["controllers"] = {"firewall"}; }),
            "rbac[0].controllers: \"firewall\" is no controller of this plugin");
}

TEST(Manifest, ReadsOfTheCacheBringTheirRights) {
  json document = valid();
  document["reads"] = json::parse(
      R"([{"resource": "v1/nodes", "fields": ["/metadata/labels"]},
          {"resource": "discovery.k8s.io/v1/endpointslices", "fields": ["/endpoints"]}])");
  const ManifestReport report = parse_manifest(document.dump());
  ASSERT_THAT(report.faults, IsEmpty());
  ASSERT_EQ(report.manifest->reads.size(), 2U);
  EXPECT_EQ(report.manifest->reads[0].resource, "v1/nodes");
  EXPECT_THAT(report.manifest->reads[0].fields, ElementsAre("/metadata/labels"));
  ASSERT_EQ(report.manifest->rbac.size(), 3U);
  EXPECT_THAT(report.manifest->rbac[1].api_groups, ElementsAre(""));
  EXPECT_THAT(report.manifest->rbac[2].api_groups, ElementsAre("discovery.k8s.io"));
  EXPECT_THAT(report.manifest->rbac[2].resources, ElementsAre("endpointslices"));
  EXPECT_THAT(report.manifest->rbac[2].verbs, ElementsAre("list", "watch"));
  EXPECT_EQ(fault_after([](json& m) { m["reads"] = json::parse(R"([{"resource": "v1/nodes"}])"); }),
            "reads[0].fields: is missing");
  EXPECT_THAT(fault_after([](json& m) {
                m["reads"] = json::parse(R"([{"resource": "nodes", "fields": ["/spec"]}])");
              }),
              HasSubstr("reads[0].resource"));
}

TEST(Manifest, WhatIsNoObjectIsAFaultWithItsPlace) {
  EXPECT_EQ(parse_manifest("[]").faults[0], "the manifest: must be a JSON object, not array");
  EXPECT_THAT(parse_manifest(R"({"components": ["x"]})").faults,
              Contains("components[0]: must be a JSON object, not string"));
}

TEST(Manifest, BytesThatAreNoJsonAreOneFault) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("{\"id\": \"\xff\"}"), std::string(9, '\0'),
        std::string(200000, '['), std::string(2U << 20U, ' ')}) {
    const ManifestReport report = parse_manifest(text);
    EXPECT_FALSE(report.manifest.has_value());
    EXPECT_THAT(report.faults, SizeIs(1));
  }
}

TEST(Manifest, AMemberThatStandsTwiceIsAFault) {
  EXPECT_THAT(parse_manifest(R"({"id": "a", "id": "b"})").faults,
              Contains("the member \"id\" occurs twice in one object"));
}

}  // namespace
}  // namespace ccm::plugin_files
