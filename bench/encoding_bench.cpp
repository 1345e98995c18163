// The cost of decoding one Node of a kubelet, in JSON and in protobuf, as the manager's informer
// keeps it. Usage: encoding_bench [images] [rounds]
#include "api/protobuf.hpp"
#include "api/schema.hpp"
#include "kube/wire_format.hpp"
#include "kubelet_node.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace ccm;
using Clock = std::chrono::steady_clock;

// The least of several rounds: the machine may have other work.
double nanoseconds(const kube::WireFormat& format, const std::string& padded, std::size_t size,
                   int rounds) {
  double least = 1e18;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      if (!format.decode(std::string_view(padded).substr(0, size)).ok()) std::exit(1);
    }
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    least = std::min(least, spent.count() / rounds);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t images = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 2000;
  const kube::FieldSet fields = *kube::FieldSet::of(
      {"/metadata/labels", "/metadata/annotations", "/metadata/creationTimestamp",
       "/spec/providerID", "/spec/podCIDRs", "/spec/taints", "/spec/unschedulable",
       "/status/addresses", "/status/conditions/-/type", "/status/conditions/-/status"});
  const kube::Object::DecodeOptions options{"Node", "v1", true};
  nlohmann::json node = bench::kubelet_node(1, images);
  node["metadata"]["resourceVersion"] = "123456";
  const std::string json = node.dump();
  const std::string wire = sandbox::encode_protobuf(*sandbox::find_schema("Node"), node);
  const auto protobuf = kube::WireFormat::make_protobuf(fields, options);
  if (!protobuf.ok()) return 1;
  std::printf("%zu images\n", images);
  for (const bool first : {true, false}) {
    const std::string& text = first ? json : wire;
    const kube::WireFormat plain(fields, options);
    const kube::WireFormat& format = first ? plain : *protobuf;
    const std::string padded = text + std::string(kube::kJsonPadding, '\0');
    std::printf("%-9s %6zu bytes, %8.0f ns\n", first ? "JSON" : "protobuf", text.size(),
                nanoseconds(format, padded, text.size(), rounds));
  }
  return 0;
}
