// A router of Neutron with its extra routes (OS-183..OS-190, OS-367). [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/cidr.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack {

// An entry of `routes`; equal ones are one route.
struct ExtraRoute {
  std::string destination;  // "10.244.1.0/24", "fd00:244::/64"
  std::string next_hop;

  friend auto operator<=>(const ExtraRoute&, const ExtraRoute&) = default;
};

// In the form that Neutron gives: without host bits, IPv6 shortened. As it is when it is neither
// range nor address.
ExtraRoute normal_form(ExtraRoute route);

struct Router {
  std::string id;
  std::vector<ExtraRoute> routes;
  std::vector<std::string> tags;
  int64_t revision = -1;  // -1 = the cloud counts none
};

// Failure: bad_answer().
Result<Router> parse_router(std::string_view json_text);

// The kinds of changes that the cloud knows.
struct RouterFeatures {
  bool extra_routes = false;
  bool atomic = false;    // routes are added and removed without the rest of the list
  bool pairs = false;     // ports have allowed address pairs
  bool if_match = false;  // a change may name the revision that it was made for
  bool tags = false;
  bool long_tags = false;  // of 255 characters instead of 60
};

// From the aliases of Neutron's extensions.
RouterFeatures router_features(const std::set<std::string>& extensions);

// The networks that a router connects.
struct RouterNetworks {
  std::vector<std::string> ids;
  std::vector<Cidr> subnets;  // as far as they can be read
};

class RouterApi {
 public:
  explicit RouterApi(Api& api) : api_(api) {}

  // The next question goes to this router.
  void configure(std::string router_id);
  [[nodiscard]] const std::string& id() const { return id_; }

  // Asked once.
  Task<Result<RouterFeatures>> features(Ctx ctx);
  Task<Result<Router>> read(Ctx ctx);
  // The networks to which it is connected (OS-180). A subnet never changes its range, so each is
  // read once.
  Task<Result<RouterNetworks>> networks(Ctx ctx);

  // Success also when they are gone already.
  Task<Status> remove(Ctx ctx, std::vector<ExtraRoute> routes);
  // All of them or none. Success also when they are there already. Failures: class quota when the
  // router takes no more, invalid_spec when it refuses one of them.
  Task<Status> add(Ctx ctx, std::vector<ExtraRoute> routes);
  // Success also when it is there, or gone, already.
  Task<Status> add_tag(Ctx ctx, std::string tag);
  Task<Status> remove_tag(Ctx ctx, std::string tag);

 private:
  Task<Status> learn_subnets(Ctx ctx, const std::set<std::string>& ids);
  Task<Status> change(Ctx ctx, std::vector<ExtraRoute> routes, bool add);
  Task<Status> write(Ctx ctx, Call call);
  [[nodiscard]] std::string path(const std::string& rest = {}) const;

  Api& api_;
  std::string id_;
  bool known_ = false;  // the features
  RouterFeatures features_;
  std::map<std::string, std::string> subnets_;  // ranges by ID; empty = it cannot be read
};

}  // namespace ccm::openstack
