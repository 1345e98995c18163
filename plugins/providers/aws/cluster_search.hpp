// Which cluster, region and VPC this is, where the configuration does not say (AWS-12, AWS-13,
// AWS-26). [serial]
#pragma once

#include "api/imds.hpp"
#include "cluster.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "nodes/ec2_instances.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>

namespace ccm::aws {

// The region of [Global] Zone, [Global] Region, AWS_REGION, AWS_DEFAULT_REGION, else the
// metadata service's. Failure: invalid_argument, which names all but AWS_DEFAULT_REGION.
Task<Result<std::string>> find_region(Ctx ctx, const Settings& settings,
                                      const Environment& environment, Imds& imds);

// Completes `cluster`, whose region is known: id and VPC of the settings, else of the instance that
// the program runs on. Failures: invalid_argument when there is no id; those of the API.
Task<Status> find_cluster(Ctx ctx, const Settings& settings, Imds& imds, Ec2Instances& instances,
                          Cluster& cluster);

// The cluster that an instance's tags name: kubernetes.io/cluster/<id> with any value, or the
// legacy KubernetesCluster=<id>. Failure: invalid_argument when there is none, or several.
Status take_cluster_id(const Ec2Instance& self, Cluster& cluster);

}  // namespace ccm::aws
