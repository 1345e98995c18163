// Droplets that are gone although their Nodes are still there. The API refuses a load balancer as a
// whole for the sake of one of them (DO-232), so that a Node that cannot be deleted yet would hold
// up every Service; they are left out instead. [serial]
#pragma once

#include "digitalocean/droplets.hpp"

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

namespace ccm::digitalocean {

class MissingDroplets {
 public:
  MissingDroplets(Host& host, Droplets& droplets)
      : host_(host), droplets_(droplets), turn_(host.post, 1) {}
  MissingDroplets(const MissingDroplets&) = delete;
  MissingDroplets& operator=(const MissingDroplets&) = delete;

  // After the API refused these: finds out which are gone and takes them out. Gone is what neither
  // a listing nor a GET of its own shows; when that is said of all of them, it is said of none.
  // Services that ask within ten seconds share the look. When the cloud does not answer, nothing is
  // found out. True when fewer are left, but some: then it is worth trying again. `ids` outlives
  // the call.
  Task<bool> take_out_refused(Ctx ctx, std::vector<int64_t>& ids);

  // Takes out those that were found to be gone. Asks once more, with a GET each, about those that
  // were last asked about ten minutes ago; one that cannot be asked about stays gone. True if there
  // were any. `ids` outlives the call.
  Task<bool> take_out_known(Ctx ctx, std::vector<int64_t>& ids);

 private:
  Task<> look(Ctx ctx, std::vector<int64_t> ids);
  bool take_out(std::vector<int64_t>& ids) const;

  Host& host_;
  Droplets& droplets_;
  Semaphore turn_;
  std::chrono::milliseconds next_look_{0};
  std::map<int64_t, std::chrono::milliseconds> gone_;  // when the cloud last said so
};

}  // namespace ccm::digitalocean
