// Which permissions the keys have, found out without effect, for `ccmctl doctor` (AWS-132).
// [serial]
//
// EC2 answers a call with DryRun as it would answer the call itself, and carries nothing out.
// Elastic Load Balancing has no such thing: its reads are made, its writes are not tried.
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "aws/nodes/ec2_instances.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

class Trial {
 public:
  Trial(Host& host, Client& client, Ec2Instances& instances, const Cluster& cluster)
      : host_(host), client_(client), instances_(instances), cluster_(cluster) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // `permissions`: "ec2:CreateTags", ... Failure: invalid_argument, one line with those that are
  // missing. A line of the log names each that could not be tried, but for writes of Elastic Load
  // Balancing.
  Task<Status> run(Ctx ctx, std::vector<std::string> permissions);

 private:
  // Things of the cluster with which calls are tried, by the parameter that takes them.
  using Samples = std::map<std::string, std::string, std::less<>>;
  Task<Status> find_samples(Ctx ctx);
  Task<Status> find_balancers(Ctx ctx);
  Task<void> check_dry_run(Ctx ctx);
  Task<Status> try_one(Ctx ctx, std::string permission);
  // Adds the parameters that name a thing; false when the cluster has none to name.
  bool name_subjects(Call& call) const;

  Host& host_;
  Client& client_;
  Ec2Instances& instances_;
  const Cluster& cluster_;
  Samples samples_;
  bool dry_runs_ = false;  // EC2 answers a dry run as one
};

}  // namespace ccm::aws
