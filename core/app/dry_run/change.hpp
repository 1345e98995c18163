// The result of a dry run: the changes that a real run would make, and the objects of which it
// cannot tell. Values, any thread.
#pragma once

#include <string>
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
  std::vector<FieldChange> fields;  // of a patch
  std::string body;                 // of everything else; may be empty
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

}  // namespace ccm::app
