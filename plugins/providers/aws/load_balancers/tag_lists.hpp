// The tags of load balancers and target groups, in the two APIs that answer in the same form.
#pragma once

#include "aws/api/client.hpp"
#include "names.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ccm::aws {

// By the name or the ARN of what has them.
using TagsByOwner = std::map<std::string, Tags, std::less<>>;

// Lists with at most `most` elements, in the order of `all`.
std::vector<std::vector<std::string>> chunks(const std::vector<std::string>& all, std::size_t most);

// The structures Key and Value of a list: of Tags in a creation, of Attributes.
void add_pairs(Params& params, ApiName list, const Tags& pairs);

// DescribeTags, for 20 owners a call: Api::elb takes names, Api::elbv2 ARNs. An owner that is gone
// has no entry. Failures: those of the calls.
Task<Result<TagsByOwner>> describe_tags(Client& client, Ctx ctx, Api api,
                                        std::vector<std::string> owners);

}  // namespace ccm::aws
