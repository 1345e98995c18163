// ccm::watch: the usual watch of a controller, in one call of its setup():
//
//   ccm::watch(setup, "v1/nodes", {"/spec/podCIDR"}, std::bind_front(&Controller::on_node, this));
//
//   void on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue);
#pragma once

#include <ccm/controller.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

// Watches `resource` ("v1/nodes", "apps/v1/deployments") and calls `handler(kind, old, now, queue)`
// for each event that may matter: an update after which all `fields` are as before, such as a
// heartbeat of a Node, is left out. `fields` are JSON pointers to all that the controller reads of
// these objects. Objects come again as EventKind::resync after each `resync_period`; 0 means
// --min-resync-period. The handler runs in [serial], must not block, and lives as long as the
// component.
inline void watch(Setup& setup, std::string_view resource, std::vector<std::string> fields,
                  Watch::Map handler,
                  std::chrono::milliseconds resync_period = std::chrono::milliseconds(0)) {
  Watch watched;
  watched.resource = std::string(resource);
  watched.fields = std::move(fields);
  watched.resync_period = resync_period;
  watched.map = [handler = std::move(handler)](EventKind kind, const Object& old, const Object& now,
                                               const Queue& queue) {
    if (kind != EventKind::updated || !old.same(now)) handler(kind, old, now, queue);
  };
  setup.watch(std::move(watched));
}

}  // namespace ccm
