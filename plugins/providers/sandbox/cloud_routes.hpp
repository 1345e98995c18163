// The route table of the sandbox cloud by the rules of ccm/abi/routes.h. [serial]
#pragma once

#include "cloud_client.hpp"

#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

class CloudRoutes {
 public:
  using Statuses = ccm::Result<std::vector<ccm::Status>>;

  explicit CloudRoutes(CloudClient& cloud) : cloud_(cloud) {}

  // Every route of the table; those with this cluster's mark are owned.
  ccm::Task<ccm::Result<std::vector<ccm::Route>>> list(ccm::Ctx ctx, std::string cluster_name);
  // One call to the cloud. `machine_ids` belong to `additions`; an empty one fails that route.
  ccm::Task<Statuses> apply(ccm::Ctx ctx, std::string cluster_name,
                            std::vector<ccm::Route> removals, std::vector<ccm::Route> additions,
                            std::vector<std::string> machine_ids);
  ccm::Task<ccm::Result<ccm::RouteLimits>> limits(ccm::Ctx ctx);

 private:
  CloudClient& cloud_;
};

// One page of a listing. Any thread. Failure: data_loss "BadAnswer".
struct RoutePage {
  std::vector<ccm::Route> routes;
  std::size_t total = 0;
  bool last = true;
};
ccm::Result<RoutePage> parse_route_page(std::string_view json, const std::string& cluster_name);

}  // namespace sandbox
