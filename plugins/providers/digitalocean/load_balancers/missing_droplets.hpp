// Droplets that are gone although their Nodes still exist. For one of them the API refuses the
// whole load balancer (DO-232), so that a Node that cannot be deleted yet would block every
// Service; such droplets are left out instead. [serial]
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

  // After the API refused these: finds out which are gone and removes them. A droplet is gone when
  // neither a listing nor a GET shows it; when that holds for all of them, none counts as gone.
  // Services that ask within ten seconds share the look. When the cloud does not answer, none is
  // removed. True when some are left but fewer: then a retry makes sense. `ids` outlives the call.
  Task<bool> take_out_refused(Ctx ctx, std::vector<int64_t>& ids);

  // Removes droplets known to be gone. Checks again, with a GET each, those last checked about ten
  // minutes ago; a droplet that cannot be checked stays gone. True if there were any. `ids`
  // outlives the call.
  Task<bool> take_out_known(Ctx ctx, std::vector<int64_t>& ids);

 private:
  Task<> look(Ctx ctx, std::vector<int64_t> ids);
  bool take_out(std::vector<int64_t>& ids) const;

  Host& host_;
  Droplets& droplets_;
  Semaphore turn_;
  std::chrono::milliseconds next_look_{0};
  std::map<int64_t, std::chrono::milliseconds> gone_;  // when the cloud last confirmed it
};

}  // namespace ccm::digitalocean
