// The cluster's instances, from one listing that everything shares: Nodes, targets of load
// balancers, routes (AWS-59). [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "ec2_instance.hpp"
#include "instance_listing.hpp"

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::aws {

// By id.
using InstanceMap = std::map<std::string, Ec2Instance, std::less<>>;

class Ec2Instances {
 public:
  Ec2Instances(Host& host, Client& client, const Cluster& cluster);
  Ec2Instances(const Ec2Instances&) = delete;
  Ec2Instances& operator=(const Ec2Instances&) = delete;

  // Every instance of the VPC, 1,000 a call; those that are terminated, too, while AWS shows them.
  // The last listing when it began less than `max_age` ago; those that ask while one is read get
  // that one. Failures: those of Client::pages.
  Task<Result<InstanceListingPtr>> list(Ctx ctx, std::chrono::milliseconds max_age);

  // The instances of the last listing when it is not older than `max_age`; those that it lacks are
  // asked for by the filter instance-id, 200 a call, so that one dead id fails nothing (AWS-56).
  // An id without an instance is not in the answer, nor is a text that is no id (is_instance_id).
  // What it says of an instance may be `max_age` old. Failures: those of Client::pages.
  Task<Result<InstanceMap>> by_ids(Ctx ctx, std::vector<std::string> ids,
                                   std::chrono::milliseconds max_age);

  // Whether by_ids() for that many instances costs fewer calls than the listing that list() would
  // read for them. It counts as asked for: look-ups never cost more than one listing in all.
  bool takes_look_up(size_t ids, std::chrono::milliseconds max_age);

  // All that pass EC2's filters.
  Task<Result<InstanceMap>> matching(Ctx ctx, Params filters);

 private:
  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    Result<InstanceListingPtr> outcome = Status(Code::unavailable, "nobody listed instances");
  };
  Task<Status> run(std::shared_ptr<Round> round);

  Host& host_;
  Client& client_;
  const Cluster& cluster_;
  std::shared_ptr<Round> running_;
  InstanceListingPtr last_;  // the last complete one
  std::chrono::milliseconds last_at_{0};
  size_t last_pages_ = 0;  // calls that the last listing took; 0 = there was none
  size_t looked_up_ = 0;   // calls of takes_look_up() since then
};

}  // namespace ccm::aws
