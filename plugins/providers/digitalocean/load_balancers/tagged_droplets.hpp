// Load balancers that find their droplets by a tag: the tag is kept on the droplets of the nodes
// that take traffic. However many load balancers use it, a joining node costs one call. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/droplets.hpp"

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ccm::digitalocean {

class TaggedDroplets {
 public:
  TaggedDroplets(Host& host, Api& api, Droplets& droplets)
      : host_(host), api_(api), droplets_(droplets) {}
  TaggedDroplets(const TaggedDroplets&) = delete;
  TaggedDroplets& operator=(const TaggedDroplets&) = delete;

  // Adds the tag to these droplets, and removes it from others: from all when the tag begins with
  // the cluster's own ("k8s:ID:"), else only from those that were among them before, since a user
  // may have given the tag to others.
  Task<Status> hold(Ctx ctx, std::string tag, std::vector<int64_t> ids);

 private:
  struct Members {
    explicit Members(const Post& post) : turn(post, 1) {}
    Semaphore turn;  // one at a time: the others find the work done
    std::optional<std::set<int64_t>> all;
    std::chrono::milliseconds read{0};
    std::set<int64_t> held;  // were requested since the start
  };
  Task<Status> read(Ctx ctx, std::string tag, Members& members);
  Task<Status> change(Ctx ctx, std::string tag, std::vector<int64_t> ids, Members& members);

  Host& host_;
  Api& api_;
  Droplets& droplets_;
  std::map<std::string, std::unique_ptr<Members>> by_tag_;
};

}  // namespace ccm::digitalocean
