// One operation of a provider through its C table, with a request of a chosen shape, and what came
// of it: read without trusting it.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/routes.h>
#include <ccm/instances.hpp>
#include <ccm/load_balancers.hpp>
#include <ccm/owned.hpp>
#include <ccm/routes.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace ccm::conformance {

// How the request differs from the one of these headers.
enum class Shape {
  plain,
  larger,         // of a newer host, which asks for nothing new
  unknown_flag,   // a flag bit that nobody knows
  unknown_member  // a member after those that are known
};

// A request with room for a member of the future.
template <typename Request>
struct Shaped {
  explicit Shaped(Shape shape) {
    if (shape == Shape::unknown_flag) request.flags |= 1U << 30;
    if (shape == Shape::larger || shape == Shape::unknown_member) {
      request.size = sizeof(Request) + sizeof(more);
    }
    if (shape == Shape::unknown_member) more[3] = 1;
  }
  // All but the size and the flags of the shape.
  void fill(Request given) {
    given.size = request.size;
    given.flags |= request.flags;
    request = given;
  }
  Request request = sized<Request>();
  unsigned char more[16] = {};
};

struct Outcome {
  Outcome() = default;
  Outcome(Status ended) : status(std::move(ended)) {}  // NOLINT: what FakeComponent makes
  [[nodiscard]] bool ok() const { return status.ok(); }

  Status status;
  bool has_result = false;
  std::vector<std::string> problems;  // of the result: "instance 3 is NULL"
  // The result, in the member of its kind.
  InstanceList machines;
  LoadBalancer balancer;
  std::vector<Route> routes;
  std::vector<Status> changes;
  std::vector<OwnedObject> owned;
  std::string text;
  std::vector<int64_t> limits;
};

// For FakeComponent::start().
struct Call {
  using Output = Outcome;
  std::function<void(ccm_ctx, ccm_completion)> begin;
  std::function<void(const void*, Outcome&)> read;
  Ctx ctx;

  Status start(ccm_completion done) const {
    begin(ctx.get(), done);
    return {};
  }
  Outcome decode(Status status, const void* result) const {
    Outcome outcome(std::move(status));
    outcome.has_result = result != nullptr;
    if (result != nullptr && read) read(result, outcome);
    if (result == nullptr && read && outcome.ok()) outcome.problems.emplace_back("has no result");
    return outcome;
  }
};

// Results, checked before they are decoded.
void read_machines(const void* result, Outcome& outcome);
void read_machine(const void* result, Outcome& outcome);
void read_balancer(const void* result, Outcome& outcome);
void read_routes(const void* result, Outcome& outcome);
void read_changes(const void* result, Outcome& outcome);
void read_owned(const void* result, Outcome& outcome);
void read_name(const void* result, Outcome& outcome);
void read_lane(const void* result, Outcome& outcome);

}  // namespace ccm::conformance
