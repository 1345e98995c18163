#include "patches.hpp"

#include "names.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/taints.hpp>

#include <algorithm>

namespace ccm::node {
namespace {

void write_labels(JsonWriter& json, const Labels& labels) {
  json.member("labels").object([&] {
    for (const auto& [key, value] : labels) json.member(key).text(value);
  });
}

void write_other_taints(JsonWriter& json, const std::vector<Taint>& taints) {
  const auto stays = [](const Taint& taint) { return taint.key != kUninitializedTaint; };
  json.member("taints");
  if (std::none_of(taints.begin(), taints.end(), stays)) {
    json.null();
    return;
  }
  json.array([&] {
    for (const Taint& taint : taints) {
      if (stays(taint)) json.raw(taint.json);
    }
  });
}

}  // namespace

std::string address_patch(std::string_view uid, std::string_view version,
                          const std::vector<NodeAddress>& addresses) {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(uid);
      if (!version.empty()) json.member("resourceVersion").text(version);
    });
    json.member("status").object([&] {
      json.member("addresses").array([&] {
        json.object([&] { json.member("$patch").text("replace"); });
        for (const NodeAddress& entry : addresses) {
          json.object([&] {
            json.member("type").text(entry.type);
            json.member("address").text(entry.address);
          });
        }
      });
    });
  });
  return std::move(json).str();
}

std::string initialization_patch(const NodeState& node, const DesiredState& desired) {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(node.uid);
      json.member("resourceVersion").text(node.resource_version);
      if (!desired.labels.set.empty()) write_labels(json, desired.labels.set);
    });
    json.member("spec").object([&] {
      if (!desired.provider_id.empty()) json.member("providerID").text(desired.provider_id);
      write_other_taints(json, node.taints);
    });
  });
  return std::move(json).str();
}

std::string label_patch(std::string_view uid, const Labels& labels) {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(uid);
      write_labels(json, labels);
    });
  });
  return std::move(json).str();
}

}  // namespace ccm::node
