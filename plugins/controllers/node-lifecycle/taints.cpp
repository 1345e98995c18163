#include "taints.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/taints.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ccm::node_lifecycle {
namespace {

constexpr std::string_view kNodeShutdown = "nodeshutdown";

bool is(const Taint& taint, std::string_view key, std::string_view effect) {
  return taint.key == key && taint.effect == effect;
}

std::string taint_json(std::string_view key, std::string_view value, std::string_view effect) {
  JsonWriter json;
  json.object([&] {
    json.member("key").text(key);
    if (!value.empty()) json.member("value").text(value);
    json.member("effect").text(effect);
  });
  return std::move(json).str();
}

// Adds the taint, or replaces the one of that key and effect in its place (LIFE-14).
void ensure(std::vector<Taint>& taints, std::string_view key, std::string_view value,
            std::string_view effect) {
  const auto found = std::find_if(taints.begin(), taints.end(),
                                  [&](const Taint& taint) { return is(taint, key, effect); });
  if (found != taints.end() && found->value == value) return;
  Taint taint{std::string(key), std::string(value), std::string(effect),
              taint_json(key, value, effect)};
  if (found == taints.end()) {
    taints.push_back(std::move(taint));
  } else {
    *found = std::move(taint);
  }
}

}  // namespace

bool has_shutdown_taint(const Object& node) {
  bool found = false;
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    found = taint.text("/key") == kShutdownTaint && taint.text("/effect") == kNoScheduleEffect;
    return !found;
  });
  return found;
}

std::optional<std::string> taint_patch(const NodeState& node, Wanted wanted) {
  std::vector<Taint> taints = node.taints;
  bool marked = node.marked;
  if (wanted == Wanted::none) {
    std::erase_if(taints, [&](const Taint& taint) {
      return is(taint, kShutdownTaint, kNoScheduleEffect) ||
             (marked && is(taint, kOutOfServiceTaint, kNoExecuteEffect) &&
              taint.value == kNodeShutdown);
    });
    marked = false;
  } else {
    ensure(taints, kShutdownTaint, {}, kNoScheduleEffect);
    if (wanted == Wanted::shutdown_and_out_of_service) {
      // A different value was set by somebody on purpose.
      const bool there = std::any_of(taints.begin(), taints.end(), [](const Taint& taint) {
        return is(taint, kOutOfServiceTaint, kNoExecuteEffect);
      });
      if (!there) ensure(taints, kOutOfServiceTaint, kNodeShutdown, kNoExecuteEffect);
      marked = marked || !there;
    }
  }
  if (taints == node.taints && marked == node.marked) return std::nullopt;
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(node.uid);
      json.member("resourceVersion").text(node.resource_version);
      if (marked != node.marked) {
        json.member("annotations").object([&] {
          json.member(kOutOfServiceMark);
          if (marked) {
            json.text("true");
          } else {
            json.null();
          }
        });
      }
    });
    json.member("spec").object([&] {
      json.member("taints");
      if (taints.empty()) {
        json.null();
      } else {
        json.array([&] {
          for (const Taint& taint : taints) json.raw(taint.json);
        });
      }
    });
  });
  return std::move(json).str();
}

}  // namespace ccm::node_lifecycle
