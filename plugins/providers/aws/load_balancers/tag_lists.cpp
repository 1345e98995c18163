#include "tag_lists.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::size_t kOwnersACall = 20;

}  // namespace

std::vector<std::vector<std::string>> chunks(const std::vector<std::string>& all,
                                             std::size_t most) {
  std::vector<std::vector<std::string>> out;
  for (std::size_t at = 0; at < all.size(); at += most) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    out.emplace_back(first, first + static_cast<std::ptrdiff_t>(std::min(most, all.size() - at)));
  }
  return out;
}

void add_pairs(Params& params, ApiName list, const Tags& pairs) {
  for (const auto& [key, value] : pairs) {
    Params pair;
    pair.set("Key", key).set("Value", value);
    params.add(list, pair);
  }
}

Task<Result<TagsByOwner>> describe_tags(Client& client, Ctx ctx, Api api,
                                        std::vector<std::string> owners) {
  const bool classic = api == Api::elb;
  const ApiName list = classic ? ApiName("LoadBalancerNames") : ApiName("ResourceArns");
  const ApiName owner_name = classic ? ApiName("LoadBalancerName") : ApiName("ResourceArn");
  TagsByOwner out;
  for (const auto& some : chunks(owners, kOwnersACall)) {
    Call call{api, "DescribeTags"};
    call.params.add_all(list, some);
    const auto answer = co_await client.call(ctx, std::move(call));
    if (is_not_found(answer.status())) {
      if (some.size() == 1) continue;
      for (const std::string& owner : some) {  // one of them is gone
        std::vector<std::string> alone{owner};
        auto tags = co_await describe_tags(client, ctx, api, std::move(alone));
        if (!tags.ok()) co_return tags.status();
        out.merge(*tags);
      }
      continue;
    }
    if (!answer.ok()) co_return answer.status();
    for (const XmlElement described : answer->result().list("TagDescriptions")) {
      Tags& of = out[described.text(owner_name)];
      for (const XmlElement tag : described.list("Tags")) of[tag.text("Key")] = tag.text("Value");
    }
  }
  co_return out;
}

}  // namespace ccm::aws
