// Where each API is, by one rule for all (AWS-24, AWS-25, AWS-27).
#pragma once

#include "aws/api/call.hpp"
#include "environment.hpp"
#include "settings.hpp"

#include <ccm/status.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

struct Endpoint {
  std::string url;  // without a slash at its end
  std::string signing_region;
  std::string signing_name;  // "ec2", "elasticloadbalancing", "sts"
};

class Endpoints {
 public:
  [[nodiscard]] const Endpoint& of(Api api) const { return all_[static_cast<size_t>(api)]; }
  [[nodiscard]] Endpoint& of(Api api) { return all_[static_cast<size_t>(api)]; }

 private:
  std::array<Endpoint, kApis> all_;
};

// What a profile of the shared files says about addresses.
struct ProfileEndpoints {
  std::string endpoint_url;
  bool fips = false;
  bool dual_stack = false;
};

// "aws", "aws-cn", "aws-us-gov", ...; the first for a region that is not known.
[[nodiscard]] std::string_view partition_of(std::string_view region);

// The address of an API is, first that is set: AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL, the
// profile's endpoint_url, a ServiceOverride of that region, else that of the partition, with FIPS
// and dual stack as AWS_USE_FIPS_ENDPOINT, AWS_USE_DUALSTACK_ENDPOINT or the profile say.
// Failure: invalid_argument for an address that is no http or https URL.
Result<Endpoints> endpoints_of(std::string_view region, const Environment& environment,
                               const ProfileEndpoints& profile,
                               const std::vector<ServiceOverride>& overrides);

// The address that an override gives the metadata service; empty = none does.
[[nodiscard]] std::string imds_override(const std::vector<ServiceOverride>& overrides);

// Overrides that move nothing: of another region, or of a service that is not used here. For
// warnings, each as "kms in region us-east-1".
[[nodiscard]] std::vector<std::string> unused_overrides(
    std::string_view region, const std::vector<ServiceOverride>& overrides);

}  // namespace ccm::aws
