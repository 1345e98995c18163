// Between the values of this layer and the ABI's arrays. OWNERSHIP: what a `_to_c` function returns
// borrows from its argument.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ccm {

struct NodeAddress {
  std::string type;  // Hostname, InternalIP, ExternalIP, InternalDNS, ExternalDNS
  std::string address;
  bool operator==(const NodeAddress&) const = default;
};

struct Label {
  std::string key;
  std::string value;
  bool operator==(const Label&) const = default;
};

namespace detail {

// The flag bits of a request that this layer knows.
template <typename T>
inline constexpr uint32_t kKnownFlags = 0;

// Whether the requests to which a request points have nothing unknown in them.
template <typename T>
struct Inner {
  static bool understood(const T& /*request*/) { return true; }
};

// Whether a request, with the requests that it points to, has nothing unknown in it.
template <typename T>
bool understood(const T& request) {
  return only_known(&request, kKnownFlags<T>) && Inner<T>::understood(known(&request));
}

// Whether each request of an array has nothing unknown in it.
template <typename T>
bool all_understood(const T* const* requests, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!understood(*requests[i])) return false;
  }
  return true;
}

// Pointers to the elements, as arrays of the ABI have them. OWNERSHIP: borrows from `items`, which
// must not grow any more.
template <typename T>
std::vector<const T*> pointers_to(const std::vector<T>& items) {
  std::vector<const T*> pointers;
  pointers.reserve(items.size());
  for (const T& item : items) pointers.push_back(&item);
  return pointers;
}

// `bit` or no bit, for the flags of a C struct.
inline constexpr uint32_t bit_if(bool set, uint32_t bit) { return set ? bit : 0; }

inline std::vector<NodeAddress> addresses_from_c(const ccm_node_address* raw, size_t count) {
  std::vector<NodeAddress> addresses;
  addresses.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    addresses.push_back({std::string(view(raw[i].type)), std::string(view(raw[i].address))});
  }
  return addresses;
}

inline std::vector<ccm_node_address> addresses_to_c(const std::vector<NodeAddress>& addresses) {
  std::vector<ccm_node_address> raw;
  raw.reserve(addresses.size());
  for (const NodeAddress& address : addresses) {
    raw.push_back({c_str(address.type), c_str(address.address)});
  }
  return raw;
}

inline std::vector<std::string> strings_from_c(const ccm_str* raw, size_t count) {
  std::vector<std::string> strings;
  strings.reserve(count);
  for (size_t i = 0; i < count; ++i) strings.emplace_back(view(raw[i]));
  return strings;
}

inline std::vector<ccm_str> strings_to_c(const std::vector<std::string>& strings) {
  std::vector<ccm_str> raw;
  raw.reserve(strings.size());
  for (const std::string& text : strings) raw.push_back(c_str(text));
  return raw;
}

inline std::vector<Label> key_values_from_c(const ccm_key_value* raw, size_t count) {
  std::vector<Label> pairs;
  pairs.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    pairs.push_back({std::string(view(raw[i].key)), std::string(view(raw[i].value))});
  }
  return pairs;
}

inline std::vector<ccm_key_value> key_values_to_c(const std::vector<Label>& pairs) {
  std::vector<ccm_key_value> raw;
  raw.reserve(pairs.size());
  for (const Label& pair : pairs) raw.push_back({c_str(pair.key), c_str(pair.value)});
  return raw;
}

}  // namespace detail
}  // namespace ccm
