// An instance of EC2, as much of it as anything here reads.
#pragma once

#include "aws/api/xml.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

// A network card that is in use; the first of its private addresses is the primary one.
struct NetworkCard {
  std::string id;  // "eni-..."
  int64_t device_index = 0;
  bool source_dest_check = true;
  std::vector<std::string> private_addresses;
  std::vector<std::string> ipv6_addresses;
};

struct Ec2Instance {
  std::string id;    // "i-..."
  std::string type;  // "m5.large"
  // pending, running, shutting-down, terminated, stopping, stopped
  std::string state;
  std::string zone;  // "us-east-1a"
  std::string vpc_id;
  std::string private_dns_name;
  std::string public_dns_name;
  std::string public_address;
  bool source_dest_check = true;
  std::vector<NetworkCard> cards;                         // by device index
  std::vector<std::string> security_groups;               // ids, of the primary card
  std::vector<std::pair<std::string, std::string>> tags;  // of clusters, and Name

  // nullptr when it has no such tag.
  [[nodiscard]] const std::string* tag(std::string_view key) const;
};

// An <item> of <instancesSet>. Failure: data_loss when it has no id or no state.
Result<Ec2Instance> read_instance(XmlElement item);

}  // namespace ccm::aws
