#include "provider.hpp"

#include "config/endpoints.hpp"

#include <utility>

namespace ccm::aws {

Provider::Provider(Host& host, Environment environment)
    : host_(host),
      environment_(std::move(environment)),
      credentials_(host),
      client_(host, credentials_, "aws-cloud-controller-manager/" CCM_AWS_VERSION),
      instances_(host, client_, cluster_) {}

Task<Status> Provider::initialize(Ctx ctx) {
  auto endpoints = endpoints_of(settings_.region, environment_, {}, settings_.overrides);
  if (!endpoints.ok()) co_return endpoints.status();
  client_.configure(*std::move(endpoints), host_.http);
  Call question{Api::ec2, "DescribeAvailabilityZones"};
  Status status = co_await client_.run(ctx, std::move(question));
  co_return status;
}

}  // namespace ccm::aws
