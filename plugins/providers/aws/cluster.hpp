// Where the cluster is and by which tags its things are known, found out once by
// Provider::initialize. Plain values.
#pragma once

#include <string>
#include <string_view>

namespace ccm::aws {

inline constexpr std::string_view kClusterTagPrefix = "kubernetes.io/cluster/";
inline constexpr std::string_view kLegacyClusterTag = "KubernetesCluster";
inline constexpr std::string_view kServiceTag = "kubernetes.io/service-name";
inline constexpr std::string_view kOwned = "owned";

struct Cluster {
  std::string id;
  bool legacy_tag = false;  // what is made gets kLegacyClusterTag=<id> as well (AWS-17)
  std::string vpc_id;
  std::string region;
  std::string partition = "aws";  // "aws-cn", "aws-us-gov", ...: the second part of an ARN

  // The key of the tag that says whose a thing is; its value is "owned" for what we made.
  [[nodiscard]] std::string tag() const { return std::string(kClusterTagPrefix) + id; }
};

}  // namespace ccm::aws
