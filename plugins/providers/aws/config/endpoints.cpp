#include "endpoints.hpp"

#include <ccm/lower_case.hpp>

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

// (c) botocore's partitions; the first is also that of unknown regions.
struct Partition {
  std::string_view id;
  std::string_view region_prefix;
  std::string_view suffix;
  std::string_view dual_stack_suffix;
};
constexpr std::array<Partition, 8> kPartitions = {{
    {"aws", "", "amazonaws.com", "api.aws"},
    {"aws-cn", "cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"aws-us-gov", "us-gov-", "amazonaws.com", "api.aws"},
    {"aws-eusc", "eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"aws-iso", "us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
    {"aws-iso-b", "us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
    {"aws-iso-e", "eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {"aws-iso-f", "us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
}};

// Names of a service: in host names and signatures, in variables, and in ServiceOverride, where the
// first is the present SDK's and the second the one that most files still have (AWS-24).
struct ServiceNames {
  Api api;
  std::string_view host;
  std::string_view variable;
  std::string_view id;
};
constexpr std::array<ServiceNames, kApis> kServices = {{
    {Api::ec2, "ec2", "AWS_ENDPOINT_URL_EC2", "ec2"},
    {Api::elb, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING",
     "elastic load balancing"},
    {Api::elbv2, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2",
     "elastic load balancing v2"},
    {Api::sts, "sts", "AWS_ENDPOINT_URL_STS", "sts"},
}};

const Partition& partition(std::string_view region) {
  const auto* found =
      std::find_if(kPartitions.begin() + 1, kPartitions.end(),
                   [&](const Partition& p) { return region.starts_with(p.region_prefix); });
  return found == kPartitions.end() ? kPartitions.front() : *found;
}

bool is_for(const ServiceOverride& entry, const ServiceNames& names) {
  const std::string service = lower_case(entry.service);
  return service == names.id || service == names.host;
}

const ServiceOverride* override_of(const ServiceNames& names, std::string_view region,
                                   const std::vector<ServiceOverride>& overrides) {
  const auto found = std::find_if(
      overrides.begin(), overrides.end(),
      [&](const ServiceOverride& entry) { return entry.region == region && is_for(entry, names); });
  return found == overrides.end() ? nullptr : &*found;
}

std::string default_url(const ServiceNames& names, std::string_view region, bool fips,
                        bool dual_stack) {
  const Partition& p = partition(region);
  // GovCloud's usual addresses are those of FIPS, but for dual stack.
  const bool in_name = fips && (p.id != "aws-us-gov" || dual_stack);
  return "https://" + std::string(names.host) + (in_name ? "-fips." : ".") + std::string(region) +
         "." + std::string(dual_stack ? p.dual_stack_suffix : p.suffix);
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

bool is_url(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

}  // namespace

std::string_view partition_of(std::string_view region) { return partition(region).id; }

Result<Endpoints> endpoints_of(std::string_view region, const Environment& environment,
                               const ProfileEndpoints& profile,
                               const std::vector<ServiceOverride>& overrides) {
  const bool fips = profile.fips || environment.is_true("AWS_USE_FIPS_ENDPOINT");
  const bool dual_stack = profile.dual_stack || environment.is_true("AWS_USE_DUALSTACK_ENDPOINT");
  Endpoints endpoints;
  for (const ServiceNames& names : kServices) {
    Endpoint& endpoint = endpoints.of(names.api);
    endpoint.signing_region = region;
    endpoint.signing_name = names.host;
    endpoint.url = first_of({environment.get(names.variable), environment.get("AWS_ENDPOINT_URL"),
                             profile.endpoint_url});
    const ServiceOverride* entry = override_of(names, region, overrides);
    if (endpoint.url.empty() && entry != nullptr) {
      endpoint.url = entry->url;
      endpoint.signing_region = entry->signing_region;
      if (!entry->signing_name.empty()) endpoint.signing_name = entry->signing_name;
    }
    if (endpoint.url.empty()) endpoint.url = default_url(names, region, fips, dual_stack);
    if (!is_url(endpoint.url)) {
      return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                    "the address \"" + endpoint.url + "\" of the service " + std::string(names.id) +
                        " does not begin with http:// or https://")
          .with_reason("InvalidConfiguration");
    }
    while (endpoint.url.ends_with('/')) endpoint.url.pop_back();
  }
  return endpoints;
}

std::string imds_override(const std::vector<ServiceOverride>& overrides) {
  for (const ServiceOverride& entry : overrides) {
    if (lower_case(entry.service) == "ec2imds") return entry.url;
  }
  return {};
}

std::vector<std::string> unused_overrides(std::string_view region,
                                          const std::vector<ServiceOverride>& overrides) {
  std::vector<std::string> unused;
  for (const ServiceOverride& entry : overrides) {
    const bool used =
        lower_case(entry.service) == "ec2imds" ||
        std::any_of(kServices.begin(), kServices.end(), [&](const ServiceNames& names) {
          return entry.region == region && is_for(entry, names);
        });
    if (!used) unused.push_back(entry.service + " in region " + entry.region);
  }
  return unused;
}

}  // namespace ccm::aws
