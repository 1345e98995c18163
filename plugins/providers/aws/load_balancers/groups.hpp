// Security groups of the VPC, by filter (AWS-93), and calls that change them. [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "rules.hpp"
#include "snapshot.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class Groups {
 public:
  Groups(Host& host, Client& client, const Cluster& cluster);

  // All of the VPC, 1,000 a call. Failures: those of Client::pages.
  Task<Result<Snapshot<SecurityGroups>::Ptr>> list(Ctx ctx, std::chrono::milliseconds max_age);

  // Its id. One of that name that somebody else made meanwhile: InvalidGroup.Duplicate.
  Task<Result<std::string>> create(Ctx ctx, std::string name, std::string description, Tags tags);
  // Makes a load balancer's own group be as wished, and itself when it has no id; `id` gets that
  // one. Tags are added where the cluster's is missing.
  Task<Status> settle(Ctx ctx, SecurityGroup wish, std::string& id);
  // What is there already, or gone, is success. The new rules come first.
  Task<Status> apply(Ctx ctx, RuleChange change);
  // One after the other, until one fails.
  Task<Status> apply_all(Ctx ctx, std::vector<RuleChange> changes);
  Task<Status> add_tags(Ctx ctx, std::string id, Tags tags);
  // "Not found" is success; class conflict (DependencyViolation) while something uses it.
  Task<Status> remove(Ctx ctx, std::string id);

  void forget() { groups_.forget(); }

 private:
  Task<Status> read(Ctx ctx, SecurityGroups& out);
  Task<Status> change_rules(Ctx ctx, std::string group_id, Rules rules, bool add);
  Task<Status> settle_path_mtu(Ctx ctx, std::string group_id);

  Client& client_;
  const Cluster& cluster_;
  Snapshot<SecurityGroups> groups_;
};

// Reads an element of a listing. Failure: data_loss.
Result<SecurityGroup> read_security_group(XmlElement item);

}  // namespace ccm::aws
