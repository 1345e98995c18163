// What an operator is told by Events and warnings, once for each trouble and then every half hour
// while it lasts. Upstream only tells of routes that could not be made. [serial]
#pragma once

#include "node_state.hpp"
#include "plan.hpp"

#include <ccm/event.hpp>
#include <ccm/log.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::route {

// How full the cloud's table is.
struct TableUse {
  std::size_t routes = 0;
  std::size_t foreign = 0;  // of them, those that are not ours
  int64_t limit = 0;        // 0 = not known
};

class Notices {
 public:
  Notices(const Events& events, const Log& log)
      : events_(events.from("route_controller")), log_(log) {}

  // Before one reconcile. What was no trouble for two minutes is over.
  void begin(std::chrono::milliseconds now);

  // Ranges that get no route, or one that nobody will remove (ROUTE-20).
  void ranges(const NodeState& node, const NodePlan& plan);
  // A route that was not made (ROUTE-25), by an Event for the first few of a reconcile only: a
  // cloud that is down needs no thousands. `took` is how long the cloud's answer took.
  void not_added(const NodeState& node, const Route& route, const Status& status,
                 std::chrono::milliseconds took);
  void not_removed(const Route& route, const Status& status);
  // Nodes without a route because the table is full; `status` is what the cloud said, or ok.
  void table_full(const std::vector<const NodeState*>& nodes, const TableUse& use,
                  const Status& status);
  // Above four fifths of the limit. `node` is where the Event goes; may be null.
  void table_use(const TableUse& use, const NodeState* node);
  void held(std::size_t removals, const Status& status, const NodeState* node);
  // Nodes whose condition another program keeps.
  void overlay(const std::vector<const NodeState*>& nodes);
  void doubted(std::size_t expected, std::size_t missing);

 private:
  // Whether it is the time to tell it.
  bool tell(const std::string& what);

  struct Told {
    std::chrono::milliseconds at{0};
    std::chrono::milliseconds seen{0};
  };

  const Events events_;
  const Log& log_;
  std::map<std::string, Told> told_;
  std::chrono::milliseconds now_{0};
  std::size_t failures_ = 0;  // Events in this reconcile
};

}  // namespace ccm::route
