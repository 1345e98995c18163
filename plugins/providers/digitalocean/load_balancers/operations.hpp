// The host's operations on the cloud's load balancers (ccm/abi/loadbalancers.h). [serial]
//
// The recorded id says where to look, not whose it is: ownership.hpp decides that.
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/droplets.hpp"
#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/certificates.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/listing.hpp"
#include "digitalocean/load_balancers/marks.hpp"
#include "digitalocean/load_balancers/missing_droplets.hpp"
#include "digitalocean/load_balancers/ownership.hpp"
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

// The maximum age of cloud state that is compared with the wanted state.
inline constexpr std::chrono::milliseconds kFresh{1'000};
// The age limit for one in creation: of those asked about together, all but the first find it.
inline constexpr std::chrono::milliseconds kFreshInCreation{200};
// The age limit for the question whether a Service has one by a mark: this process wrote it, or
// the first listing has it.
inline constexpr std::chrono::milliseconds kFreshForMarks{600'000};

// For a Service whose load balancer is left alone (DO-118).
Status left_alone_by_annotation();

class LoadBalancerOperations {
 public:
  LoadBalancerOperations(Host& host, Api& api, Droplets& droplets)
      : host_(host),
        api_(api),
        droplets_(droplets),
        listing_(host, api),
        ownership_(host, api),
        marks_(host, api),
        certificates_(host, api),
        missing_droplets_(host, droplets),
        tagged_droplets_(host, api, droplets) {}

  // Region of new ones; empty = that of their droplets (DO-387).
  void set_region(std::string region) { region_ = std::move(region); }

  // implemented_elsewhere for a disowned Service (DO-118), from remove() also when the annotation
  // that disowns it is unreadable.
  Task<Result<LoadBalancer>> observe(Ctx ctx, LoadBalancerService service, Backends backends);
  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Backends backends);
  // Only targets are added and removed (DO-345).
  Task<Result<LoadBalancer>> update(Ctx ctx, LoadBalancerService service, Backends backends);
  Task<Status> remove(Ctx ctx, LoadBalancerService service);
  Result<std::string> name(const LoadBalancerService& service) const;

 private:
  // A Service by its own fields.
  struct Subject {
    LoadBalancerService service;
    Annotations annotations;
    LoadBalancerTraits traits;
  };
  // The existing and the wanted load balancer, and the differences.
  struct Plan {
    std::optional<ExistingLoadBalancer> existing;
    bool foreign = false;   // no proof that it is the Service's
    bool adopting = false;  // the administrator lets the Service take it over
    WantedLoadBalancer wanted;
    std::vector<std::string> differences;
    std::string renewed_certificate_id;
  };

  Result<Subject> read_subject(LoadBalancerService service) const;
  static Status check_name(const Subject& subject,
                           const std::optional<ExistingLoadBalancer>& existing);
  // The existing load balancer, and its owner.
  Task<Result<Plan>> find(Ctx ctx, LoadBalancerService service);
  // Completes a plan that find() began, of a load balancer that is not foreign.
  Task<Result<Plan>> plan(Ctx ctx, Subject subject, Backends backends, Plan plan);
  Task<Result<std::optional<ExistingLoadBalancer>>> by_id(Ctx ctx, std::string id);
  Task<Result<Plan>> by_proof(Ctx ctx, LoadBalancerService service);
  Task<Result<std::vector<int64_t>>> targets(Ctx ctx, Backends backends);
  Task<Result<std::string>> region_for(Ctx ctx, std::vector<int64_t> droplet_ids);

  // Changes the load balancer to the wanted one, its tags included. `plan` outlives the call, and
  // has no differences left when nothing was sent in the end.
  Task<Result<ExistingLoadBalancer>> write(Ctx ctx, Subject subject, Plan& plan);
  // As write(), without the tags; leaves out missing droplets when the API refuses because of them.
  Task<Result<ExistingLoadBalancer>> write_settings(Ctx ctx, Subject subject, Plan& plan);
  Task<Result<ExistingLoadBalancer>> send(Ctx ctx, Subject subject, Plan& plan);
  void note_what_was_not_taken(const Subject& subject, const WantedLoadBalancer& wanted,
                               const ExistingLoadBalancer& made);
  [[nodiscard]] std::vector<std::string> settings_to_write(
      const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing) const;
  // As TaggedDroplets::hold(), without missing droplets when the API refuses because of them.
  Task<Status> hold_tag(Ctx ctx, std::string tag, std::vector<int64_t> droplet_ids);
  Task<Result<ExistingLoadBalancer>> create(Ctx ctx, Subject subject, WantedLoadBalancer wanted);
  Task<Result<ExistingLoadBalancer>> replace(Ctx ctx, WantedLoadBalancer wanted,
                                             ExistingLoadBalancer existing);
  Task<Result<ExistingLoadBalancer>> retarget(Ctx ctx, std::vector<int64_t> droplet_ids,
                                              ExistingLoadBalancer existing);
  Task<Status> send_targets(Ctx ctx, std::string method, std::string id,
                            std::vector<int64_t> droplet_ids);
  Task<Result<std::string>> send_creation(Ctx ctx, WantedLoadBalancer& wanted);
  Task<Status> delete_one(Ctx ctx, LoadBalancerService service, ExistingLoadBalancer balancer);

  static Result<LoadBalancer> answer(const Subject& subject, const ExistingLoadBalancer& balancer,
                                     const std::string& renewed_certificate_id,
                                     std::string difference);
  void warn(const Subject& subject, const std::optional<ExistingLoadBalancer>& existing);

  Host& host_;
  Api& api_;
  Droplets& droplets_;
  LoadBalancerListing listing_;
  Ownership ownership_;
  Marks marks_;
  Certificates certificates_;
  MissingDroplets missing_droplets_;
  TaggedDroplets tagged_droplets_;
  std::string region_;
  // Parts of a PUT that the cloud did not apply, by id: repeating them would not change it.
  struct NotTaken {
    std::string asked;
    std::vector<std::string> differences;
  };
  std::map<std::string, NotTaken> not_taken_;
  std::map<std::string, std::string> warned_;  // by UID: the last text
  SpellingHelp spelling_{annotation::kAll};
};

}  // namespace ccm::digitalocean
