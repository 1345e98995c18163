// Lists, watches and failures in protobuf say what they say in JSON (API-3, API-5, API-6).
#include "contract.hpp"
#include "kube/client.hpp"
#include "kube/client_status.hpp"
#include "kube/protobuf_decoder.hpp"
#include "kube/resource.hpp"
#include "kube/wire_format.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

// Everything that an object of any kind has, without a claim on what a newer server adds.
const std::vector<std::string> kFields = {"/metadata/labels", "/metadata/annotations",
                                          "/metadata/creationTimestamp", "/metadata/finalizers"};

class Protobuf : public Contract {
 protected:
  support::HttpResponse read(const std::string& target, const std::string& accept) {
    support::HttpRequest request;
    request.target = target;
    request.headers["Accept"] = accept;
    return api().send(request).http;
  }

  // The list in both encodings; the items of both as JSON.
  void compare(const kube::Resource& resource, std::vector<std::string> pointers,
               const std::string& target) {
    SCOPED_TRACE(target);
    pointers.insert(pointers.end(), kFields.begin(), kFields.end());
    const kube::FieldSet fields = *kube::FieldSet::of(pointers);
    const std::string api_version = resource.api_version();
    const kube::Object::DecodeOptions options{resource.kind, api_version, true};
    const kube::WireFormat json_form(fields, options);
    const auto protobuf_form = kube::WireFormat::make_protobuf(fields, options);
    ASSERT_TRUE(protobuf_form.ok()) << protobuf_form.status().message();
    const support::HttpResponse plain = read(target, "application/json");
    const support::HttpResponse encoded =
        read(target, std::string(kProtobuf) + ",application/json");
    EXPECT_EQ(encoded.headers.at("content-type"), kProtobuf);
    const std::vector<json> wanted = items(json_form, plain.body);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(items(*protobuf_form, encoded.body), wanted);
  }

  static std::vector<json> items(const kube::WireFormat& format, const std::string& body) {
    std::vector<json> result;
    const auto reader = format.list(8U << 20U);
    reader->feed(body);
    std::string_view text;
    while (reader->next(text) == kube::PieceReader::Piece::object) {
      const auto object = format.decode(text);
      EXPECT_TRUE(object.ok()) << object.status().message();
      if (object.ok()) result.push_back(json::parse((*object)->json()));
    }
    EXPECT_TRUE(reader->done());
    const json envelope = json::parse(reader->envelope());
    EXPECT_TRUE(envelope.at("kind").get<std::string>().ends_with("List"));
    EXPECT_FALSE(envelope.at("metadata").at("resourceVersion").get<std::string>().empty());
    return result;
  }
};

TEST_F(Protobuf, API_3_NodesSayTheSame) {
  json made = node(unique("node"));
  made["metadata"]["annotations"] = {{"b", "ü"}, {"a", ""}};
  made["metadata"]["finalizers"] = {"example.com/kept"};
  made["spec"] = {{"providerID", "sandbox://1"},
                  {"podCIDRs", {"10.0.0.0/24"}},
                  {"podCIDR", "10.0.0.0/24"},
                  {"taints", {{{"key", "k"}, {"effect", "NoSchedule"}}}}};
  made["status"] = {
      {"capacity", {{"cpu", "2"}, {"memory", "16374700Ki"}}},
      {"addresses", {{{"type", "InternalIP"}, {"address", "10.0.0.1"}}}},
      {"conditions",
       {{{"type", "Ready"}, {"status", "True"}, {"lastHeartbeatTime", "2026-01-02T03:04:05Z"}}}},
      {"images", {{{"names", {"a:v1", "b@sha256:1"}}, {"sizeBytes", 5}}}},
      {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", 10250}}}}},
      {"nodeInfo", {{"kubeletVersion", "v1.36.3"}}}};
  const json stored = create_node(made);
  compare(kube::resources::nodes(),
          {"/spec/podCIDRs", "/spec/taints", "/spec/providerID", "/spec/unschedulable",
           "/status/capacity", "/status/addresses", "/status/conditions", "/status/images",
           "/status/daemonEndpoints", "/status/nodeInfo/kubeletVersion"},
          kNodes + "?" + selector());
  must(api().patch(node_path(stored), kMergePatch, {{"metadata", {{"finalizers", nullptr}}}}));
}

TEST_F(Protobuf, API_3_OtherKindsSayTheSame) {
  const std::string place = make_namespace();
  const std::string name = namespace_of(place);
  must(api().create(place + "/services",
                    {{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", "web"}}},
                     {"spec",
                      {{"type", "LoadBalancer"},
                       {"selector", {{"app", "web"}}},
                       {"allocateLoadBalancerNodePorts", false},
                       {"ports",
                        {{{"name", "a"}, {"port", 80}, {"targetPort", "http"}},
                         {{"name", "b"}, {"port", 81}, {"targetPort", 8081}}}}}}}));
  must(api().create(place + "/configmaps", {{"apiVersion", "v1"},
                                            {"kind", "ConfigMap"},
                                            {"metadata", {{"name", "config"}}},
                                            {"immutable", false},
                                            {"data", {{"z", "1"}, {"a", ""}}},
                                            {"binaryData", {{"b", "AP8Q"}, {"c", ""}}}}));
  must(api().create(place + "/secrets", {{"apiVersion", "v1"},
                                         {"kind", "Secret"},
                                         {"metadata", {{"name", "secret"}}},
                                         {"data", {{"key", "aGVsbG8="}}}}));
  must(api().create("/apis/coordination.k8s.io/v1/namespaces/" + name + "/leases",
                    {{"apiVersion", "coordination.k8s.io/v1"},
                     {"kind", "Lease"},
                     {"metadata", {{"name", "lease"}}},
                     {"spec",
                      {{"holderIdentity", "me"},
                       {"leaseDurationSeconds", 15},
                       {"renewTime", "2026-01-02T03:04:05.000007Z"}}}}));
  const auto resource = [](const char* text) { return *kube::Resource::parse(text); };
  compare(resource("v1/services"),
          {"/spec/ports", "/spec/type", "/spec/selector", "/spec/allocateLoadBalancerNodePorts",
           "/spec/ipFamilies", "/spec/ipFamilyPolicy", "/status/loadBalancer"},
          place + "/services");
  compare(resource("v1/configmaps"), {"/data", "/binaryData", "/immutable"},
          place + "/configmaps?fieldSelector=metadata.name%3Dconfig");
  compare(resource("v1/secrets"), {"/data", "/type"}, place + "/secrets");
  compare(resource("v1/namespaces"), {"/spec", "/status"},
          "/api/v1/namespaces?fieldSelector=metadata.name%3D" + name);
  compare(resource("coordination.k8s.io/v1/leases"), {"/spec"},
          "/apis/coordination.k8s.io/v1/namespaces/" + name + "/leases");
}

TEST_F(Protobuf, API_6_WatchesSayTheSame) {
  const json made = create_node();
  const kube::FieldSet fields = *kube::FieldSet::of(kFields);
  const kube::Object::DecodeOptions options{"Node", "v1", true};
  const std::string target = kNodes + "?watch=true&timeoutSeconds=2&sendInitialEvents=true" +
                             "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&" +
                             selector();
  const auto events = [&](const kube::WireFormat& format, const std::string& body) {
    std::vector<json> result;
    const auto reader = format.watch(8U << 20U);
    reader->feed(body);
    std::string_view text;
    while (reader->next(text) == kube::PieceReader::Piece::object) {
      const auto event = format.decode_event(text);
      EXPECT_TRUE(event.ok()) << event.status().message();
      if (!event.ok()) continue;
      const bool bookmark = event->type == kube::WatchEvent::Type::bookmark;
      json object = json::parse(event->object->json());
      if (bookmark) object.at("metadata").erase("resourceVersion");  // others write, too
      result.push_back({{"type", static_cast<int>(event->type)}, {"object", object}});
    }
    EXPECT_FALSE(reader->mid_object());
    result.resize(std::min<std::size_t>(result.size(), 2));  // a last bookmark may come or not
    return result;
  };
  const auto protobuf_form = kube::WireFormat::make_protobuf(fields, options);
  const support::HttpResponse encoded = read(target, std::string(kProtobuf) + ",application/json");
  EXPECT_EQ(encoded.headers.at("content-type"), std::string(kProtobuf) + ";stream=watch");
  const std::vector<json> found = events(*protobuf_form, encoded.body);
  EXPECT_EQ(found.size(), 2U);
  EXPECT_EQ(found,
            events(kube::WireFormat(fields, options), read(target, "application/json").body));
}

TEST_F(Protobuf, API_12_FailuresAreStatusesInTheSameEncoding) {
  for (const std::string& target :
       {kNodes + "/nobody", kNodes + "?limit=x", kNodes + "?watch=true&resourceVersion=x",
        std::string("/api/v1/nothing")}) {
    const support::HttpResponse encoded =
        read(target, std::string(kProtobuf) + ",application/json");
    const support::HttpResponse plain = read(target, "application/json");
    EXPECT_EQ(encoded.status, plain.status) << target;
    EXPECT_EQ(encoded.headers.at("content-type"), kProtobuf) << target;
    const auto code = static_cast<unsigned>(encoded.status);
    const Status found = kube::status_of_answer(code, encoded.body, "");
    const Status wanted = kube::status_of_answer(code, plain.body, "");
    EXPECT_EQ(found.reason(), wanted.reason()) << target;
    EXPECT_EQ(found.message(), wanted.message()) << target;
  }
}

TEST_F(Protobuf, API_5_TheFirstEncodingIsPreferred) {
  const auto type = [&](const std::string& accept) {
    return read(kNodes, accept).headers.at("content-type");
  };
  EXPECT_EQ(type("application/json," + std::string(kProtobuf)), "application/json");
  EXPECT_EQ(type(kProtobuf), kProtobuf);
  EXPECT_EQ(read(kNodes, "application/vnd.example").status, 406);
}

}  // namespace
}  // namespace ccm::contract
