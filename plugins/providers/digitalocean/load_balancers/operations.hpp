// What the host asks of the cloud's load balancers (ccm/abi/loadbalancers.h). [serial]
//
// A load balancer belongs to a Service when the Service's annotation records its id, or when it
// bears the name that is made from the Service's UID (DO-92); a name chosen by the user never
// suffices (DO-96, DO-106). A tag of another cluster outweighs both.
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/droplets.hpp"
#include "digitalocean/load_balancers/certificates.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/listing.hpp"
#include "digitalocean/load_balancers/missing_droplets.hpp"
#include "digitalocean/load_balancers/request.hpp"
#include "digitalocean/load_balancers/tagged_droplets.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::digitalocean {

class LoadBalancerOperations {
 public:
  LoadBalancerOperations(Host& host, Api& api, Droplets& droplets)
      : host_(host),
        api_(api),
        droplets_(droplets),
        listing_(host, api),
        certificates_(host, api),
        missing_droplets_(host, droplets),
        tagged_droplets_(host, api, droplets) {}

  // Region of new ones; empty = that of their droplets (DO-387).
  void set_region(std::string region) { region_ = std::move(region); }

  // implemented_elsewhere for a disowned Service (DO-118).
  Task<Result<LoadBalancer>> observe(Ctx ctx, LoadBalancerService service, Backends backends);
  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Backends backends);
  // Only targets are added and taken away (DO-345).
  Task<Result<LoadBalancer>> update(Ctx ctx, LoadBalancerService service, Backends backends);
  Task<Status> remove(Ctx ctx, LoadBalancerService service);
  Result<std::string> name(const LoadBalancerService& service) const;

 private:
  // A Service as far as its own words go.
  struct Subject {
    LoadBalancerService service;
    Annotations annotations;
    LoadBalancerTraits traits;
  };
  // What the cloud has, what is wanted, and what differs.
  struct Plan {
    std::optional<ExistingLoadBalancer> existing;
    bool foreign = false;
    WantedLoadBalancer wanted;
    std::vector<std::string> differences;
    std::string renewed_certificate_id;
  };

  Result<Subject> read_subject(LoadBalancerService service) const;
  // What the cloud has, and whose it is.
  Task<Result<Plan>> find(Ctx ctx, LoadBalancerService service);
  // The rest of a plan that find() began, of one that is not foreign.
  Task<Result<Plan>> plan(Ctx ctx, Subject subject, Backends backends, Plan plan);
  Task<Result<std::optional<ExistingLoadBalancer>>> by_id(Ctx ctx, std::string id);
  Task<Result<std::optional<ExistingLoadBalancer>>> by_mark(LoadBalancerService service);
  Task<Result<std::vector<int64_t>>> targets(Ctx ctx, Backends backends);
  Task<Result<std::string>> region_for(Ctx ctx, std::vector<int64_t> droplet_ids);

  // Brings the load balancer to what is wanted; without the droplets that are gone when the API
  // refuses the rest for their sake. `plan` outlives the call, and has no differences left when
  // nothing was sent in the end.
  Task<Result<ExistingLoadBalancer>> write(Ctx ctx, Subject subject, Plan& plan);
  Task<Result<ExistingLoadBalancer>> send(Ctx ctx, Subject subject, Plan& plan);
  // The same for droplets behind a tag.
  Task<Status> hold_tag(Ctx ctx, std::string tag, std::vector<int64_t> droplet_ids);
  Task<Result<ExistingLoadBalancer>> create(Ctx ctx, Subject subject, WantedLoadBalancer wanted);
  Task<Result<ExistingLoadBalancer>> replace(Ctx ctx, WantedLoadBalancer wanted,
                                             ExistingLoadBalancer existing);
  Task<Result<ExistingLoadBalancer>> retarget(Ctx ctx, std::vector<int64_t> droplet_ids,
                                              ExistingLoadBalancer existing);
  Task<Status> send_targets(Ctx ctx, std::string method, std::string id,
                            std::vector<int64_t> droplet_ids);
  Task<Status> explain_name(Status refused, std::string name);

  Result<LoadBalancer> answer(const Subject& subject, const ExistingLoadBalancer& balancer,
                              const std::string& renewed_certificate_id, std::string difference);
  void warn(const Subject& subject, const std::optional<ExistingLoadBalancer>& existing);

  Host& host_;
  Api& api_;
  Droplets& droplets_;
  LoadBalancerListing listing_;
  Certificates certificates_;
  MissingDroplets missing_droplets_;
  TaggedDroplets tagged_droplets_;
  std::string region_;
  // Creations whose answer was lost, by the Service's UID: the name that was sent. Only with this
  // may a load balancer be known by a name that the user chose.
  std::map<std::string, std::string> lost_creations_;
  std::map<std::string, std::chrono::milliseconds> pending_since_;  // by id
  std::map<std::string, std::string> warned_;                       // by UID: the last text
};

}  // namespace ccm::digitalocean
