// The result of a dry run: the changes that a real run would make, and the objects of which it
// cannot tell. Values, any thread.
#pragma once

#include "plugin/origin.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ccm::app {

// One value of an object, as JSON text; empty: there is none.
struct FieldChange {
  std::string field;  // a JSON pointer: "/spec/providerID"; a list's element by its key:
                      // "/status/conditions[Ready]"
  std::string before;
  std::string after;

  bool operator==(const FieldChange&) const = default;
};

struct Change {
  std::string controller;  // that asks for it; the component's own name without one
  std::string object;      // "worker-1", "default/shop"; empty: of no object
  std::string action;      // "patch v1/nodes/status", "POST https://cloud/v2/load_balancers"
  std::vector<FieldChange> fields;  // a patch's
  std::string body;                 // any other request's; may be empty
  std::string before{};             // what such a body takes the place of, in words; may be empty

  bool operator==(const Change&) const = default;
};

// An object whose first reconcile did not end, or failed for a reason of its own.
struct OpenObject {
  std::string controller;
  std::string object;  // empty: the controller as a whole
  std::string state;   // "refused", "held", "waiting", "retrying", ...
  std::string message;
  // A real run might change something here; otherwise the object stays as it is, as in a real run.
  bool undetermined = true;
};

// Collects the changes. Loop thread.
class Plan final : public plugin::WithheldWrites {
 public:
  using Pair = std::pair<std::string, std::string>;

  // Writes to the cloud. Those of a retried reconcile take the place of the earlier ones.
  void withhold(const plugin::WithheldWrite& write) override;
  void answered(std::string_view component, std::string_view operation,
                unsigned http_status) override;
  // Writes to Kubernetes. Several patches of one object are one change. `number` counts equal
  // actions within one reconcile.
  void note(Change change, std::size_t number = 0);

  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  // Whether this controller's reconcile of that key asked the cloud for a change.
  [[nodiscard]] bool cloud_changes(const std::string& controller, const std::string& key) const {
    return attempts_.contains({controller, key});
  }
  // The last answers that say nothing of the cloud, by component and operation: refused, too many
  // calls, a fault of the server, or 0 for none.
  [[nodiscard]] const std::map<Pair, unsigned>& failing_calls() const { return failing_; }

 private:
  // The writes of one reconcile.
  struct Attempt {
    std::shared_ptr<const plugin::Origin> origin;
    std::map<std::string, std::size_t> writes;  // by action
  };

  std::vector<Change> changes_;  // in the order in which they were first asked for
  std::map<std::tuple<std::string, std::string, std::string, std::size_t>, std::size_t> places_;
  std::map<Pair, Attempt> attempts_;  // by controller and key
  std::map<Pair, unsigned> failing_;
};

// The result as a table for readers: a row for each changed value, and below them the objects that
// are open, and the sum.
std::string plan_table(const std::vector<Change>& changes, const std::vector<OpenObject>& open);

// The result as JSON for programs:
// {"changes": [{"controller", "object", "action", "fields": [{"field", "before", "after"}],
//   "body"}], "open": [{"controller", "object", "state", "message", "undetermined"}]}. "before" and
// "after" are values of JSON, null where there is none; "body" is an object, or a text when it is
// no JSON. Empty members are left out.
std::string plan_json(const std::vector<Change>& changes, const std::vector<OpenObject>& open);

}  // namespace ccm::app
