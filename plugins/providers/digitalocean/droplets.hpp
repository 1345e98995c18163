// The account's droplets. [serial]
#pragma once

#include "api.hpp"

#include <ccm/instance_pages.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <unordered_map>
#include <vector>

namespace ccm::digitalocean {

class Droplets {
 public:
  using Listing = std::vector<Instance>;

  explicit Droplets(Api& api) : api_(api) {}
  Droplets(const Droplets&) = delete;
  Droplets& operator=(const Droplets&) = delete;

  // All of them, each once; incomplete when droplets came and went while they were read, twice.
  // Failures: data_loss, those of Api::call.
  Task<Result<InstanceList>> list_all(Ctx ctx);
  // As list_all(), and a failure, aborted, when it is incomplete.
  Task<Result<Listing>> list(Ctx ctx);

  // Droplets with a tag; GPU droplets as far as the API lists them (DO-332). Failures as list().
  Task<Result<Listing>> tagged(Ctx ctx, std::string tag);

  // One GET. not_found, class not_found, when the API says 404 (DO-65).
  Task<Result<Instance>> get(Ctx ctx, int64_t id);

  // By the droplet's name, as written or else regardless of case, since Nodes' names are lower case
  // (DO-70, DO-73). A name that is an IP address is also looked for among all addresses (DO-71).
  // Failures: not_found; failed_precondition, reason "AmbiguousDropletName", when several fit.
  Task<Result<Instance>> find(Ctx ctx, std::string name);

 private:
  Task<Result<InstancePages>> read_kind(Ctx ctx, std::string type);
  Task<Result<Listing>> named(Ctx ctx, std::string name, std::string type);
  Task<Result<Listing>> read(Ctx ctx, std::string path, std::string operation);
  Task<Result<Instance>> find_by_address(Ctx ctx, std::string address);

  Api& api_;
  // From the last listing, once a Node was looked for by its address: which droplet has it. Says
  // "exists", never "is gone" (DO-319): what it says is checked with a call.
  bool index_addresses_ = false;
  std::unordered_map<std::string, int64_t> by_address_;
};

}  // namespace ccm::digitalocean
