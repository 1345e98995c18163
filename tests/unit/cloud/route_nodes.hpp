// The Nodes of a cluster in a cache, as far as routes need them.
#pragma once

#include "plugin/host_services/kube_access.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::cloud {

struct RouteNode {
  std::string created = "2026-01-01T00:00:00Z";
  std::string provider_id{};
  std::vector<std::string> ranges{};
  std::string address{};  // an InternalIP that the kubelet has written
  std::string uid{};      // empty: made of the name
};

struct RouteNodes final : plugin::ObjectCache {
  // node-0 with 10.0.0.0/24 and the provider ID cloud://0, and so on.
  void number(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      nodes["node-" + n] = {
          "2026-01-01T00:00:00Z", "cloud://" + n, {"10.0." + n + ".0/24"}, {}, {}};
    }
  }
  static kube::ObjectPtr object(const std::string& name, const RouteNode& node) {
    std::string ranges;
    for (const std::string& range : node.ranges) {
      ranges += (ranges.empty() ? "\"" : ",\"") + range + "\"";
    }
    const std::string uid = node.uid.empty() ? "uid-of-" + name : node.uid;
    const auto decoded = kube::Object::decode(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":")" + uid +
        R"(","creationTimestamp":")" + node.created + R"("},"spec":{"providerID":")" +
        node.provider_id + R"(","podCIDRs":[)" + ranges +
        R"(]},"status":{"addresses":[{"type":"InternalIP","address":")" + node.address +
        R"("}]}})");
    EXPECT_TRUE(decoded.ok());
    return *decoded;
  }
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view name) const override {
    const auto found = nodes.find(std::string(name));
    return found == nodes.end() ? nullptr : object(found->first, found->second);
  }
  [[nodiscard]] plugin::CacheState state(std::string_view) const override { return known; }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    std::vector<kube::ObjectPtr> all;
    for (const auto& [name, node] : nodes) all.push_back(object(name, node));
    return all;
  }

  std::map<std::string, RouteNode> nodes;
  plugin::CacheState known = plugin::CacheState::synced;
};

}  // namespace ccm::cloud
