// A file of contract/requests: requests one after the other, each with what is expected of its
// answer. Scripts leave nothing behind, so that each can run again.
//
//   - what: members
//     as: demo
//     send: "PUT load-balancer/v2.0/lbaas/pools/{pool}/members"
//     body: {members: []}
//     status: 202
//     until: {/pool/provisioning_status: ACTIVE}
//     keep: {pool: /pool/id}
//     made_up: [/server/adminPass]
//
// Instead of a request, what an administrator's hand in Octavia's database does:
//
//   - set: "loadbalancers/{lb} ERROR"
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::openstack_contract {

using nlohmann::json;

struct Step {
  std::string what;  // for the reader of a failure
  std::string user;  // whose token is sent; empty = none
  std::string method;
  std::string service;  // its type in the catalog, or identity
  std::string path;     // after the service's URL, with its query
  json headers = json::object();
  json body;        // null = none; a text is sent as it is
  std::string set;  // "COLLECTION/ID STATUS": no request, all else is empty
  int status = 0;   // of the answer
  json until;       // members of the answer that the request is repeated for: pointer -> value
  json keep;        // {name} is that value from then on: name -> pointer, or "header NAME"
  std::vector<std::string> made_up;  // pointers to values that each cloud makes up
};

// Throws std::runtime_error with the file's name and what is wrong.
std::vector<Step> read_script(const std::filesystem::path& file);

}  // namespace ccm::openstack_contract
