#include "kubelet_node.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace ccm::bench {
namespace {

using nlohmann::json;

constexpr std::size_t kMostImages = 50;
constexpr const char* kBegin = "2026-01-01T00:00:00Z";

json condition(const std::string& type, const std::string& status, const std::string& reason,
               const std::string& message, const std::string& now) {
  return {{"type", type},       {"status", status},         {"reason", reason},
          {"message", message}, {"lastHeartbeatTime", now}, {"lastTransitionTime", kBegin}};
}

json kubelet_conditions(const std::string& now) {
  return {condition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                    "kubelet has sufficient memory available", now),
          condition("DiskPressure", "False", "KubeletHasNoDiskPressure",
                    "kubelet has no disk pressure", now),
          condition("PIDPressure", "False", "KubeletHasSufficientPID",
                    "kubelet has sufficient PID available", now),
          condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", now)};
}

json all_conditions() {
  json conditions = kubelet_conditions(kBegin);
  conditions.push_back(condition("KernelDeadlock", "False", "KernelHasNoDeadlock",
                                 "kernel has no deadlock", kBegin));
  conditions.push_back(condition("ReadonlyFilesystem", "False", "FilesystemIsNotReadOnly",
                                 "Filesystem is not read-only", kBegin));
  conditions.push_back(condition("FrequentContainerdRestart", "False",
                                 "NoFrequentContainerdRestart",
                                 "containerd is functioning properly", kBegin));
  conditions.push_back(condition("NetworkUnavailable", "False", "FlannelIsUp",
                                 "Flannel is running on this node", kBegin));
  return conditions;
}

// Spread over all 64 digits, so that images compress no better than real digests do.
std::string digest(std::uint64_t seed) {
  std::string text;
  while (text.size() < 64) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    text += "0123456789abcdef"[seed >> 60];
  }
  return text;
}

json images(std::size_t count) {
  constexpr std::array<const char*, 5> kNames = {
      "registry.k8s.io/kube-proxy", "docker.io/flannel/flannel", "quay.io/prometheus/node-exporter",
      "registry.example.com/team/frontend", "registry.example.com/team/backend-worker"};
  json list = json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = kNames[i % kNames.size()];
    list.push_back(
        {{"names", {name + "@sha256:" + digest(i), name + ":v1." + std::to_string(i) + ".0"}},
         {"sizeBytes", 10'000'000 + i * 7'654'321}});
  }
  return list;
}

json resources(const char* cpu, const char* memory) {
  return {{"cpu", cpu},           {"ephemeral-storage", "81106868Ki"},
          {"hugepages-1Gi", "0"}, {"hugepages-2Mi", "0"},
          {"memory", memory},     {"pods", "110"}};
}

}  // namespace

std::string node_name(std::size_t i) { return "node-" + std::to_string(i); }

json kubelet_node(std::size_t i, std::size_t image_count) {
  const std::string name = node_name(i);
  const json system = {{"architecture", "amd64"},
                       {"bootID", digest(i).substr(0, 36)},
                       {"containerRuntimeVersion", "containerd://2.1.4"},
                       {"kernelVersion", "6.1.0-39-amd64"},
                       {"kubeProxyVersion", ""},
                       {"kubeletVersion", "v1.36.0"},
                       {"machineID", digest(i + 1).substr(0, 32)},
                       {"operatingSystem", "linux"},
                       {"osImage", "Debian GNU/Linux 12 (bookworm)"},
                       {"systemUUID", digest(i + 2).substr(0, 36)}};
  const json status = {
      {"addresses", {{{"type", "Hostname"}, {"address", name}}}},
      {"allocatable", resources("3920m", "15989584Ki")},
      {"capacity", resources("4", "16398124Ki")},
      {"conditions", all_conditions()},
      {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", 10250}}}}},
      {"images", images(image_count)},
      {"nodeInfo", system},
      {"runtimeHandlers",
       {{{"name", ""}, {"features", {{"recursiveReadOnlyMounts", true}, {"userNamespaces", true}}}},
        {{"name", "runc"},
         {"features", {{"recursiveReadOnlyMounts", true}, {"userNamespaces", true}}}}}}};
  const json labels = {{"beta.kubernetes.io/arch", "amd64"}, {"beta.kubernetes.io/os", "linux"},
                       {"kubernetes.io/arch", "amd64"},      {"kubernetes.io/hostname", name},
                       {"kubernetes.io/os", "linux"},        {"node.example.com/pool", "workers"}};
  const json annotations = {{"volumes.kubernetes.io/controller-managed-attach-detach", "true"},
                            {"csi.volume.kubernetes.io/nodeid",
                             R"({"cinder.csi.openstack.org":")" + digest(i).substr(0, 36) + "\"}"}};
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}, {"labels", labels}, {"annotations", annotations}}},
          {"spec", json::object()},
          {"status", status}};
}

std::size_t images_for(std::size_t bytes) {
  for (std::size_t count = 0; count < kMostImages; ++count) {
    if (kubelet_node(0, count).dump().size() >= bytes) return count;
  }
  return kMostImages;
}

json cni_patch(std::size_t i) {
  const std::string address = "10." + std::to_string(i >> 16 & 255) + "." +
                              std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255);
  return {
      {"metadata",
       {{"annotations",
         {{"flannel.alpha.coreos.com/backend-data", R"({"VNI":1,"VtepMAC":"c2:4a:4b:6e:9a:0d"})"},
          {"flannel.alpha.coreos.com/backend-type", "vxlan"},
          {"flannel.alpha.coreos.com/kube-subnet-manager", "true"},
          {"flannel.alpha.coreos.com/public-ip", address}}}}}};
}

json heartbeat_patch(const std::string& now) {
  return {{"status", {{"conditions", kubelet_conditions(now)}}}};
}

}  // namespace ccm::bench
