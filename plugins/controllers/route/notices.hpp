// Events and warnings for operators, once for each problem and then every half hour while it lasts.
// Upstream only reports routes that could not be created. [serial]
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
  std::size_t foreign = 0;  // those of other owners
  int64_t limit = 0;        // 0 = not known
};

class Notices {
 public:
  Notices(const Events& events, const Log& log)
      : events_(events.from("route_controller")), log_(log) {}

  // Before one reconcile. A problem that did not occur for two minutes is over.
  void begin(std::chrono::milliseconds now);

  // Ranges that get no route, or would get none but for the one that is there.
  void ranges(const NodeState& node, const NodePlan& plan);
  // A route that was not created (ROUTE-25), by an Event for the first few of a reconcile only: an
  // outage of the cloud needs no thousands. `took` is the duration of the cloud's call.
  void not_added(const NodeState& node, const Route& route, const Status& status,
                 std::chrono::milliseconds took);
  // The host made no attempt: another Node has its instance, for example.
  void refused(const NodeState& node, const RangePlan& range, const Status& status);
  void not_removed(const Route& route, const Status& status);
  // Nodes without a route because the table is full; `status` is the cloud's message, or ok.
  void table_full(const std::vector<const NodeState*>& nodes, const TableUse& use,
                  const Status& status);
  // Above four fifths of the limit. `node` is the object of the Event; may be null.
  void table_use(const TableUse& use, const NodeState* node);
  void held(std::size_t removals, const Status& status, const NodeState* node);
  // Nodes whose condition another program sets.
  void overlay(const std::vector<const NodeState*>& nodes);
  void incomplete_listing(std::size_t expected, std::size_t missing);

 private:
  // Whether it is due.
  bool is_due(const std::string& what);

  struct Reported {
    std::chrono::milliseconds at{0};
    std::chrono::milliseconds seen{0};
  };

  const Events events_;
  const Log& log_;
  std::map<std::string, Reported> reported_;
  std::chrono::milliseconds now_{0};
  std::size_t failures_ = 0;  // Events in this reconcile
};

}  // namespace ccm::route
