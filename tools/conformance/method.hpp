// The operations of a provider, as cases name them.
#pragma once

#include "call.hpp"

#include <string>

namespace ccm::conformance {

class Trial;

struct Method {
  const char* name;       // "list"
  const char* interface;  // its id
  const char* header;     // "ccm/abi/instances.h"
  Call (*make)(Trial& trial, int number, Shape shape);
  bool (*offered)(Trial& trial);
  // Brings the cloud to where the operation would succeed; NULL = it always would.
  void (*prepare)(Trial& trial, int number) = nullptr;
};

extern const Method kInitialize;
extern const Method kShutdown;
extern const Method kList;
extern const Method kDescribe;
extern const Method kGet;
extern const Method kInstanceLimits;
extern const Method kObserve;
extern const Method kEnsure;
extern const Method kUpdateBackends;
extern const Method kRemove;
extern const Method kName;
extern const Method kLane;
extern const Method kLoadBalancerLimits;
extern const Method kListRoutes;
extern const Method kAddRoute;
extern const Method kRemoveRoute;
extern const Method kRouteLimits;
extern const Method kListOwned;
extern const Method kRemoveOwned;

// apply with any changes.
Call apply_routes(Trial& trial, std::vector<Route> removals, std::vector<Route> additions,
                  Shape shape = Shape::plain);
Call remove_object(Trial& trial, const OwnedObject& object, Shape shape = Shape::plain);
// get and describe of that Node.
Call get_machine(Trial& trial, NodeIdentity node, Shape shape = Shape::plain);
Call describe_machines(Trial& trial, std::vector<NodeIdentity> nodes, Shape shape = Shape::plain);

}  // namespace ccm::conformance
