// Protobuf messages by hand, and the objects that Kubernetes' own types have encoded
// (tools/protobuf_table writes encodings.txt).
#pragma once

#include <ccm/base64.hpp>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube {

inline std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  return out + static_cast<char>(value);
}
inline std::string field(uint32_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string integer_field(uint32_t number, int64_t value) {
  return varint(number << 3) + varint(static_cast<uint64_t>(value));
}
inline std::string map_entry(uint32_t number, std::string_view key, std::string_view value) {
  return field(number, field(1, key) + field(2, value));
}
inline std::string unknown_object(std::string_view api_version, std::string_view kind,
                                  std::string_view raw) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) +
         field(2, raw) + field(3, "") + field(4, "");
}
inline std::string frame(std::string_view message) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(message.size() >> shift & 0xff);
  }
  return out.append(message);
}
inline std::string watch_event(std::string_view type, std::string_view object) {
  return field(1, type) + field(2, field(1, object));
}
inline std::string event_frame(std::string_view type, std::string_view node) {
  return frame(watch_event(type, unknown_object("v1", "Node", node)));
}

// A Node with a name, a version and a provider ID.
inline std::string node_message(std::string_view name, int version,
                                std::string_view provider_id = "sandbox://1") {
  return field(1, field(1, name) + field(5, "uid-" + std::string(name)) +
                      field(6, std::to_string(version))) +
         field(2, field(3, provider_id)) + field(3, "");
}
inline std::string node_list(int version, const std::vector<std::string>& nodes,
                             std::string_view more = {}) {
  std::string list = field(1, field(2, std::to_string(version)) + field(3, more));
  for (const std::string& node : nodes) list += field(2, node);
  return unknown_object("v1", "NodeList", list);
}

struct EncodedObject {
  std::string api_version;
  std::string kind;
  std::string message;
  std::string json;
};

inline std::vector<EncodedObject> encoded_objects() {
  std::vector<EncodedObject> result;
  std::ifstream file(CCM_ENCODINGS);
  for (std::string line; std::getline(file, line);) {
    EncodedObject object;
    std::istringstream words(line);
    std::string message;
    words >> object.api_version >> object.kind >> message;
    object.message = base64_decode(message).value();
    std::getline(words >> std::ws, object.json);
    result.push_back(std::move(object));
  }
  return result;
}

}  // namespace ccm::kube
