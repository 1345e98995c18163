// Octavia's API: reading and changing load balancers. [serial]
#pragma once

#include "existing.hpp"
#include "openstack/api.hpp"
#include "openstack/pages.hpp"
#include "writes.hpp"

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

class Octavia {
 public:
  Octavia(Host& host, Api& api) : host_(host), api_(api), creations_(host.post, 1) {}

  // N of the newest version 2.N, asked once; a failure is asked again (OS-297). Where the list of
  // versions is hidden, the one that what it offers is known to be of, for ten minutes.
  Task<Result<int>> version(Ctx ctx);
  // Without its children. Nothing when Octavia says that it does not exist.
  Task<Result<std::optional<ExistingLoadBalancer>>> find(Ctx ctx, std::string id);
  // All of the project; those with the tag; those with the name: looked at once more here, since
  // Octavia may be set to ignore filters.
  Task<Result<std::vector<ExistingLoadBalancer>>> all(Ctx ctx);
  Task<Result<std::vector<ExistingLoadBalancer>>> with_tag(Ctx ctx, std::string tag);
  Task<Result<std::vector<ExistingLoadBalancer>>> with_name(Ctx ctx, std::string name);
  // Adds listeners, pools, members and monitors.
  Task<Status> read_children(Ctx ctx, ExistingLoadBalancer& balancer);
  // One at a time: Octavia does no more in a project, since it holds the row of its quota
  // meanwhile. Parallel ones would take the threads of its API from all other requests. The
  // namespaces that wait take turns.
  Task<Result<ExistingLoadBalancer>> create(Ctx ctx, LoadBalancerWrite write,
                                            std::string namespace_name);
  // Success also when what is deleted is gone already.
  Task<Status> send(Ctx ctx, LoadBalancerWrite write);
  // Sends them one after the other until one is under way, or all are done; `balancer` then has its
  // new state and tags, and `done` names what was sent.
  Task<Status> send_all(Ctx ctx, ExistingLoadBalancer& balancer, LoadBalancerWrites writes,
                        std::string& done);
  void forget() { version_ = -1; }

 private:
  Task<Result<int>> read_version(Ctx ctx);
  Task<Result<int>> guess_version(Ctx ctx);
  Task<Result<std::string>> get(Ctx ctx, std::string path, const char* operation);
  // A GET of something that has to be there: a 404 is a failure.
  Task<Result<std::string>> get_existing(Ctx ctx, std::string path, const char* operation);
  // Whole lists, and never a page of one: what is missing on it would be made a second time.
  Task<Status> list(Ctx ctx, std::string path, const char* name, const char* operation,
                    TakeObject take);
  // `query`: "?name=...", or nothing.
  Task<Result<std::vector<ExistingLoadBalancer>>> listed(Ctx ctx, std::string query);
  Task<Status> read_pool(Ctx ctx, ExistingPool& pool);

  Host& host_;
  Api& api_;
  Semaphore creations_;
  int version_ = -1;
  std::optional<milliseconds> guess_ends_;  // nothing = version_ was read
};

}  // namespace ccm::openstack
