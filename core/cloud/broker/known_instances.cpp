#include "cloud/broker/known_instances.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

// Names and provider IDs never collide: an ID has a "://".
const std::string& key_of(const InstanceQuery& query) {
  return query.provider_id.empty() ? query.name : query.provider_id;
}

Status ambiguous(const InstanceQuery& query, std::size_t count) {
  return Status(Code::unknown, std::to_string(count) + " instances are called " + query.name +
                                   "; give the Node a provider ID or rename all but one")
      .with_reason("AmbiguousMachine");
}

}  // namespace

int32_t InstanceAnswer::state() const {
  if (!status.ok()) return CCM_INSTANCE_UNKNOWN;
  return snapshot ? snapshot->state(index) : CCM_INSTANCE_ABSENT;
}

void KnownInstances::listed(InstanceSnapshot::Ptr listing, runtime::TimePoint began) {
  listing_ = std::move(listing);
  began_ = began;
  std::erase_if(singles_, [&](const auto& entry) { return entry.second.began <= began; });
  if (!listing_->complete()) {
    doubtful_ = true;
    return;
  }
  const std::size_t size = listing_->size();
  const bool shrank = size * 2 < trusted_size_;
  if (shrank && !doubted_since_) doubted_since_ = began;
  if (!shrank) doubted_since_.reset();
  const bool long_enough = shrank && began - *doubted_since_ >= doubt_;
  // An empty listing is never proof: with the wrong project or credential it looks the same.
  doubtful_ = size == 0 || (shrank && !long_enough);
  if (doubtful_) return;
  trusted_size_ = size;
  doubted_since_.reset();
}

void KnownInstances::answered(const InstanceQuery& query, InstanceSnapshot::Ptr answer,
                              std::size_t index, runtime::TimePoint began) {
  if (singles_.size() >= prune_at_) {
    std::erase_if(singles_, [&](const auto& entry) { return began - entry.second.began > keep_; });
    prune_at_ = std::max<std::size_t>(64, singles_.size() * 2);
  }
  Single& single = singles_[key_of(query)];
  if (!single.snapshot || single.began <= began) single = {std::move(answer), index, began};
}

std::optional<InstanceAnswer> KnownInstances::find(const InstanceQuery& query,
                                                   runtime::TimePoint not_before) const {
  const auto single = singles_.find(key_of(query));
  if (single != singles_.end() && single->second.began >= not_before) {
    return InstanceAnswer{{}, single->second.snapshot, single->second.index};
  }
  if (!listed_since(not_before)) return std::nullopt;
  auto answer = find_listed(query);
  if (!answer && !doubtful_ && !listing_->may_lack(query.provider_id)) answer = InstanceAnswer{};
  return answer;
}

// nullopt: the listing lacks it.
std::optional<InstanceAnswer> KnownInstances::find_listed(const InstanceQuery& query) const {
  if (!query.provider_id.empty()) {
    const std::size_t index = listing_->find_provider_id(query.provider_id);
    if (index == InstanceSnapshot::kNone) return std::nullopt;
    return InstanceAnswer{{}, listing_, index};
  }
  const std::vector<std::size_t> found = listing_->find_name(query.name);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) return InstanceAnswer{ambiguous(query, found.size()), nullptr, 0};
  return InstanceAnswer{{}, listing_, found.front()};
}

}  // namespace ccm::plugin
