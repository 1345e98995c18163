// Provider IDs of AWS: aws:///<zone>/<instance id> (AWS-39). Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::aws {

// What a provider ID names: an instance, or a Fargate task by its address or DNS name.
struct ProviderId {
  std::string instance;  // "i-0123456789abcdef0"; empty for Fargate
  std::string fargate;   // "10.0.0.1" or "ip-10-0-0-1.ec2.internal", without "fargate-"
};

[[nodiscard]] std::string provider_id(std::string_view zone, std::string_view instance);

// Takes all forms that the Go manager takes: any number of parts, of which the last counts, and a
// bare instance id. Failures: invalid_argument "Invalid format for AWS instance (...)" or "Invalid
// scheme for AWS instance (...)".
Result<ProviderId> parse_provider_id(std::string_view text);

// Whether that can be the id of an instance: "i-" and 8 or 17 hexadecimal digits (AWS-41).
[[nodiscard]] bool is_instance_id(std::string_view text);

// The IPv4 address as EC2 writes it; empty for all else, such as a pattern. What a kubelet calls an
// address goes into a filter by this alone: EC2 refuses a call for one value of two hundred.
[[nodiscard]] std::string ipv4_address(std::string_view text);

}  // namespace ccm::aws
