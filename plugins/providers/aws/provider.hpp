// AWS as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "api/client.hpp"
#include "cluster.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "credentials/credentials.hpp"
#include "nodes/ec2_instances.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

namespace ccm::aws {

class Provider {
 public:
  explicit Provider(Host& host) : Provider(host, Environment::of_process()) {}
  // For tests.
  Provider(Host& host, Environment environment);

  // Reads the configuration, finds keys, region, VPC and the cluster's id (AWS-10 to AWS-28), and
  // asks AWS once whether it takes the keys. invalid_argument, one line, when the configuration is
  // wrong; AWS's own failure when it cannot be reached or refuses.
  Task<Status> initialize(Ctx ctx);
  // It has one, or initialize() fails (AWS-4).
  bool has_cluster_id() { return true; }

 private:
  Host& host_;
  const Environment environment_;
  Settings settings_;
  Cluster cluster_;
  Credentials credentials_;
  Client client_;
  Ec2Instances instances_;
};

}  // namespace ccm::aws
