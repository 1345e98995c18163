// Which Node has which instance of the cloud. A kubelet chooses the provider ID of its Node when it
// registers, or later, when it did not say one, so a Node has the instance that it names only when
// the cloud shows that instance, and when no other Node has it by a better right: by the name that
// the cloud gives it, which no kubelet chooses, or else by age. Pure; any thread.
//
//   std::vector<InstanceClaim> claims;  // of all Nodes, also of those that are of no use otherwise
//   for (...) claims.push_back(claim_of(node, instance.state, instance.provider_id));
//   const std::vector<ClaimVerdict> verdicts = judge_claims(claims);
#pragma once

#include <ccm/instances.hpp>
#include <ccm/object.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ccm {

// A Node and what the cloud said of its instance (host.instances.describe). OWNERSHIP: borrows from
// both.
struct InstanceClaim {
  std::string_view created;  // .metadata.creationTimestamp, as the API server writes it
  std::string_view uid;      // of the Node
  InstanceState state = InstanceState::unknown;
  std::string_view provider_id;  // of the instance, by the cloud's word
  bool named = false;            // the cloud calls the instance as the Node is called
};

// Reads /metadata/creationTimestamp, which has to be among the kept fields.
inline InstanceClaim claim_of(const Object& node, InstanceState state,
                              std::string_view provider_id) {
  return {node.text("/metadata/creationTimestamp"), node.uid(), state, provider_id};
}

enum class Claim {
  unknown,      // the cloud does not say; what was known before goes on
  holds,        // it is this Node's
  no_instance,  // the cloud has none for this Node
  of_another,   // another Node has it
};

struct ClaimVerdict {
  Claim claim = Claim::unknown;
  std::size_t holder = 0;  // with `of_another`: the index of the Node that has it
};

// Element i is about claims[i]. The Node of the instance's name has it, else the older one, of two
// that were made in the same second the one with the smaller UID: what others cannot choose.
inline std::vector<ClaimVerdict> judge_claims(const std::vector<InstanceClaim>& claims) {
  std::vector<std::size_t> by_right(claims.size());
  std::iota(by_right.begin(), by_right.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    return std::tuple(!claims[i].named, claims[i].created, claims[i].uid);
  };
  std::sort(by_right.begin(), by_right.end(),
            [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });
  std::vector<ClaimVerdict> verdicts(claims.size());
  std::unordered_map<std::string_view, std::size_t> holders;  // by provider ID
  holders.reserve(claims.size());
  for (const std::size_t i : by_right) {
    ClaimVerdict& verdict = verdicts[i];
    if (is_gone(claims[i].state)) verdict.claim = Claim::no_instance;
    if (!exists(claims[i].state)) continue;
    verdict.claim = Claim::holds;
    if (claims[i].provider_id.empty()) continue;
    const auto [holder, first] = holders.try_emplace(claims[i].provider_id, i);
    if (!first) verdict = {Claim::of_another, holder->second};
  }
  return verdicts;
}

}  // namespace ccm
