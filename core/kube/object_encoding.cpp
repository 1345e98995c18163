#include "kube/object_encoding.hpp"

#include <algorithm>
#include <array>

namespace ccm::kube::encoding {
namespace {

// The first 128 take one byte, so the most frequent come first. One of them is the empty string.
constexpr std::string_view kWordList =
    "metadata|name|namespace|uid|resourceVersion|labels|annotations|spec|status|kind|apiVersion|v1|"
    "Node|Service|type|address|addresses|conditions|lastHeartbeatTime|lastTransitionTime|reason|"
    "message|True|False|Unknown|key|effect|value|taints|providerID|podCIDR|podCIDRs|Ready|"
    "MemoryPressure|DiskPressure|PIDPressure|NetworkUnavailable|InternalIP|ExternalIP|Hostname|"
    "InternalDNS|ExternalDNS|NoSchedule|NoExecute|PreferNoSchedule|KubeletReady|"
    "KubeletHasSufficientMemory|KubeletHasNoDiskPressure|KubeletHasSufficientPID|"
    "kubelet is posting ready status|kubelet has sufficient memory available|"
    "kubelet has no disk pressure|kubelet has sufficient PID available|beta.kubernetes.io/arch|"
    "beta.kubernetes.io/os|beta.kubernetes.io/instance-type|kubernetes.io/arch|kubernetes.io/os|"
    "kubernetes.io/hostname|node.kubernetes.io/instance-type|topology.kubernetes.io/region|"
    "topology.kubernetes.io/zone|failure-domain.beta.kubernetes.io/region|"
    "failure-domain.beta.kubernetes.io/zone|linux|amd64|arm64|"
    "node.cloudprovider.kubernetes.io/uninitialized|node.cloudprovider.kubernetes.io/shutdown|"
    "node.kubernetes.io/unreachable|node.kubernetes.io/not-ready|"
    "node.kubernetes.io/network-unavailable|node.kubernetes.io/unschedulable|"
    "node.kubernetes.io/exclude-from-external-load-balancers|node-role.kubernetes.io/control-plane|"
    "alpha.kubernetes.io/provided-node-ip|node.alpha.kubernetes.io/ttl|"
    "volumes.kubernetes.io/controller-managed-attach-detach|kubeadm.alpha.kubernetes.io/cri-socket|"
    "true|false|0||default|kube-system|unschedulable|deletionTimestamp|creationTimestamp|"
    "finalizers|ownerReferences|generation|ports|port|protocol|targetPort|nodePort|TCP|UDP|"
    "selector|clusterIP|clusterIPs|sessionAffinity|externalTrafficPolicy|internalTrafficPolicy|"
    "healthCheckNodePort|ipFamilies|ipFamilyPolicy|loadBalancer|ingress|ip|ipMode|hostname|"
    "loadBalancerIP|loadBalancerClass|loadBalancerSourceRanges|allocateLoadBalancerNodePorts|"
    "externalName|externalIPs|LoadBalancer|ClusterIP|NodePort|Cluster|Local|SingleStack|"
    "PreferDualStack|IPv4|IPv6|VIP|None|http|https|app|service.kubernetes.io/load-balancer-cleanup|"
    "capacity|allocatable|cpu|memory|pods|ephemeral-storage|hugepages-1Gi|hugepages-2Mi|nodeInfo|"
    "machineID|systemUUID|bootID|kernelVersion|osImage|containerRuntimeVersion|kubeletVersion|"
    "kubeProxyVersion|operatingSystem|architecture|daemonEndpoints|kubeletEndpoint|Port|images|"
    "names|sizeBytes|managedFields|manager|operation|time|fieldsType|fieldsV1|Update|Lease|"
    "coordination.k8s.io/v1|holderIdentity|leaseDurationSeconds|acquireTime|renewTime|"
    "leaseTransitions|Event|ConfigMap|data|CiliumIsUp|RouteCreated|appProtocol|trafficDistribution|"
    "swap";

constexpr auto kWords = [] {
  std::array<std::string_view, std::ranges::count(kWordList, '|') + 1> words;
  std::string_view rest = kWordList;
  for (std::string_view& word : words) {
    word = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return words;
}();

constexpr std::size_t kShortWords = 128;
constexpr std::size_t kShortLength = 64;
constexpr std::size_t kHeaderSmall = 2;
constexpr std::size_t kHeaderLarge = 5;

// An open-addressed hash table made by the compiler: nearly every string of an object is looked up.
constexpr std::size_t kSlots = 1024;
constexpr unsigned char kEmpty = 0xff;
static_assert(kWords.size() < kEmpty);

constexpr std::size_t slot_of(std::string_view text) {
  const std::size_t n = text.size();
  if (n == 0) return 0;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
  };
  return (n * 67 + byte(0) * 7 + byte(n / 2) * 131 + byte(n - 1) * 37 + byte(n - n / 3 - 1) * 257) %
         kSlots;
}

constexpr std::array<unsigned char, kSlots> kIndex = [] {
  std::array<unsigned char, kSlots> slots{};
  slots.fill(kEmpty);
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    std::size_t slot = slot_of(kWords[i]);
    while (slots[slot] != kEmpty) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<unsigned char>(i);
  }
  return slots;
}();

// The first byte of a string; `index` is the index of its word.
unsigned char tag_of(std::string_view text, int index) {
  std::size_t tag = kString;
  if (index != kNoWord) {
    const auto word = static_cast<std::size_t>(index);
    tag = word < kShortWords ? kShortWord + word : std::size_t{kWord};
  } else if (text.size() < kShortLength) {
    tag = kShortString + text.size();
  }
  return static_cast<unsigned char>(tag);
}

Text piece(const unsigned char* tree, std::size_t size, std::size_t at, std::size_t length) {
  if (at > size || length > size - at) return {};
  return {{reinterpret_cast<const char*>(tree) + at, length}, at + length, true};
}

Text read_long(const unsigned char* tree, std::size_t size, std::size_t at) {
  std::size_t length = 0;
  for (unsigned shift = 0; at < size && shift < 35; shift += 7) {
    const unsigned char byte = tree[at++];
    length |= static_cast<std::size_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return piece(tree, size, at, length);
  }
  return {};
}

}  // namespace

int word_index(std::string_view text) {
  for (std::size_t slot = slot_of(text); kIndex[slot] != kEmpty; slot = (slot + 1) % kSlots) {
    if (kWords[kIndex[slot]] == text) return kIndex[slot];
  }
  return kNoWord;
}

std::string_view word(std::size_t i) { return i < kWords.size() ? kWords[i] : std::string_view{}; }

Text read_text(const unsigned char* tree, std::size_t size, std::size_t at) {
  if (at >= size) return {};
  const unsigned char tag = tree[at];
  if (tag >= kShortWord) return {word(tag - kShortWord), at + 1, true};
  if (tag >= kShortString) return piece(tree, size, at + 1, tag - kShortString);
  if (tag == kString || tag == kNumber) return read_long(tree, size, at + 1);
  if (tag == kWord && at + 1 < size) {
    return {word(kShortWords + tree[at + 1]), at + 2, true};
  }
  return {};
}

Container read_container(const unsigned char* tree, std::size_t size, std::size_t at) {
  if (at >= size) return {};
  const unsigned char tag = tree[at];
  std::size_t begin = 0;
  std::size_t length = 0;
  if (tag == kArray || tag == kObject) {
    if (size - at < kHeaderSmall) return {};
    begin = at + kHeaderSmall;
    length = tree[at + 1];
  } else if (tag == kArrayLarge || tag == kObjectLarge) {
    if (size - at < kHeaderLarge) return {};
    begin = at + kHeaderLarge;
    for (unsigned i = 0; i < 4; ++i)
      length |= static_cast<std::size_t>(tree[at + 1 + i]) << (8 * i);
  } else {
    return {};
  }
  if (length > size - begin) return {};
  return {begin, begin + length, true, tag == kObject || tag == kObjectLarge};
}

namespace {

std::size_t skip_long(const unsigned char* tree, std::size_t size, std::size_t at) {
  if (const Container container = read_container(tree, size, at); container.valid) {
    return container.end;
  }
  const Text text = read_text(tree, size, at);
  return text.valid ? text.after : size;
}

// Inlined for the loops below: every look-up skips the members before its own.
inline std::size_t skip(const unsigned char* tree, std::size_t size, std::size_t at) {
  if (at >= size) return size;
  const unsigned char tag = tree[at];
  if (tag >= kShortWord || tag <= kTrue) return at + 1;
  if (tag >= kShortString) {
    const std::size_t length = tag - kShortString;
    return length < size - at ? at + 1 + length : size;
  }
  return skip_long(tree, size, at);
}

}  // namespace

std::size_t skip_value(const unsigned char* tree, std::size_t size, std::size_t at) {
  return skip(tree, size, at);
}

// A string has one form only, so most keys are told apart by their tag.
std::size_t find_member(const unsigned char* tree, std::size_t begin, std::size_t end,
                        std::string_view key) {
  const unsigned char tag = tag_of(key, word_index(key));
  for (std::size_t at = begin; at < end;) {
    const std::size_t value = skip(tree, end, at);
    if (tree[at] == tag && (tag >= kShortWord || read_text(tree, end, at).text == key)) {
      return value;
    }
    at = skip(tree, end, value);
  }
  return end;
}

void Writer::varint(std::size_t value) {
  for (; value >= 0x80; value >>= 7) put((value & 0x7f) | 0x80);
  put(value);
}

void Writer::number(std::string_view json) {
  put(kNumber);
  varint(json.size());
  append(json);
}

void Writer::string(std::string_view text) {
  const int index = word_index(text);
  const unsigned char tag = tag_of(text, index);
  put(tag);
  if (tag == kWord) put(static_cast<std::size_t>(index) - kShortWords);
  if (index != kNoWord) return;
  if (tag == kString) varint(text.size());
  append(text);
}

std::size_t Writer::begin(bool object) {
  const std::size_t start = size_;
  put(object ? kObject : kArray);
  put(0);
  return start;
}

void Writer::end(std::size_t start) {
  const std::size_t length = size_ - start - kHeaderSmall;
  if (length <= 0xff) {
    room_[start + 1] = static_cast<unsigned char>(length);
    return;
  }
  // Few containers get this large (metadata, spec, status and the root), so moving the content
  // costs little.
  extend(kHeaderLarge - kHeaderSmall);
  unsigned char* const header = room_.data() + start;
  std::memmove(header + kHeaderLarge, header + kHeaderSmall, length);
  ++header[0];
  for (unsigned i = 0; i < 4; ++i) header[1 + i] = static_cast<unsigned char>(length >> (8 * i));
}

}  // namespace ccm::kube::encoding
