// Nodes that are Fargate tasks: network cards without an instance (AWS-57). [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

class Fargate {
 public:
  Fargate(Client& client, const Cluster& cluster) : client_(client), cluster_(cluster) {}
  Fargate(const Fargate&) = delete;
  Fargate& operator=(const Fargate&) = delete;

  // By the address (fargate_address). One without an attached card is not in the answer; its task
  // is over. One that lives runs, whatever its Node says of itself (the Go manager calls it shut
  // down). Its provider ID has the address, however a Node spells it. Failures: those of
  // Client::pages.
  Task<Result<std::map<std::string, Instance>>> find(Ctx ctx, std::vector<std::string> addresses);

 private:
  Client& client_;
  const Cluster& cluster_;
};

// The address in what stands behind "fargate-" in a provider ID: "10.0.0.1" of "10.0.0.1" and of
// "ip-10-0-0-1.ec2.internal". Empty when it names no IPv4 address.
[[nodiscard]] std::string fargate_address(std::string_view name);

}  // namespace ccm::aws
