// The cost of decoding and keeping nodes: prints one table.
// Usage: kube_object_bench [nodes]
#include "kube/object_decoder.hpp"
#include "kube/object_store.hpp"
#include "kube/watch_decoder.hpp"

#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace ccm::kube;

// A node of about 5 kB, as a kubelet with a dozen images writes it.
std::string sample_node(std::size_t number) {
  const std::string name = "worker-" + std::to_string(number);
  std::string labels;
  for (const char* key :
       {"kubernetes.io/arch", "kubernetes.io/os", "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    labels += std::string(",\"") + key + "\":\"value-1\"";
  }
  std::string conditions;
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    conditions += std::string(conditions.empty() ? "" : ",") + R"({"type":")" + type +
                  R"(","status":"False","lastHeartbeatTime":"2026-01-02T03:04:05Z",)"
                  R"("lastTransitionTime":"2026-01-02T03:04:05Z","reason":"KubeletReady",)"
                  R"("message":"kubelet is posting ready status"})";
  }
  std::string images;
  for (int i = 0; i < 12; ++i) {
    images += std::string(i == 0 ? "" : ",") + R"({"names":["registry.example.com/app-)" +
              std::to_string(i) + "@sha256:" + std::string(64, 'a') +
              R"(","registry.example.com/app:v1"],"sizeBytes":12345678})";
  }
  return R"({"metadata":{"name":")" + name + R"(","uid":"0f8c1d52-7a2b-4d3e-9a41-000000000000",)" +
         R"("resourceVersion":")" + std::to_string(1'000'000 + number) +
         R"(","labels":{"kubernetes.io/hostname":")" + name + "\"" + labels +
         R"(},"managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{"f:conditions":{)" +
         std::string(R"("f:type":{}})") +
         R"(}}}]},"spec":{"podCIDR":"10.0.0.0/24","providerID":"sandbox://)" +
         std::to_string(number) +
         R"(","taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]},)" +
         R"("status":{"addresses":[{"type":"Hostname","address":")" + name +
         R"("},{"type":"InternalIP","address":"10.1.2.3"}],"conditions":[)" + conditions +
         R"(],"nodeInfo":{"kernelVersion":"6.1.0-18-amd64","osImage":"Debian GNU/Linux 12"},"images":[)" +
         images + "]}}";
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5000;
  std::string list = R"({"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[)";
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + sample_node(i);
  list += "]}";
  const auto fields = FieldSet::of({"/metadata/labels", "/spec/providerID", "/spec/taints",
                                    "/status/addresses", "/status/conditions"});
  Object::DecodeOptions options;
  options.kind = "Node";
  options.api_version = "v1";

  const std::size_t heap_before = mallinfo2().uordblks;
  ObjectStore store;
  const auto start = std::chrono::steady_clock::now();
  {
    ListDecoder pieces;
    std::string_view text;
    for (std::size_t i = 0; i < list.size(); i += 16384) {
      pieces.feed(std::string_view(list).substr(i, 16384));
      while (pieces.next(text) == WatchDecoder::Piece::object) {
        auto object = decode_object(text, *fields, options, true);
        if (!object.ok()) return 1;
        store.put(*object);
      }
    }
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  const std::size_t heap = mallinfo2().uordblks - heap_before;
  const auto per = static_cast<double>(count);
  std::printf("nodes                   %zu\n", store.size());
  std::printf("JSON per node           %.0f bytes\n", static_cast<double>(list.size()) / per);
  std::printf("decode and store        %.1f us per node, %.0f MB/s\n", spent.count() / per,
              static_cast<double>(list.size()) / spent.count());
  std::printf("object                  %.0f bytes per node\n",
              static_cast<double>(store.bytes()) / per);
  std::printf("heap with store's index %.0f bytes per node, %.1f MB in all\n",
              static_cast<double>(heap) / per, static_cast<double>(heap) / 1e6);
  return store.size() == count ? 0 : 1;
}
