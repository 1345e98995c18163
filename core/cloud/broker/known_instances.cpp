#include "cloud/broker/known_instances.hpp"

#include "cloud/broker/lookalikes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::cloud {

namespace {

// A listing that shrank by half is suspect for this long.
constexpr std::chrono::minutes kDoubt{10};

// No answer or hint is of use for longer.
constexpr std::chrono::minutes kKeep{15};

// Names and provider IDs never collide: an ID has a "://".
const std::string& key_of(const InstanceQuery& query) {
  return query.provider_id.empty() ? query.name : query.provider_id;
}

Status ambiguous(const InstanceQuery& query, std::size_t count) {
  return Status(Code::unknown, std::to_string(count) + " instances are called " + query.name +
                                   "; give the Node a provider ID or rename all but one")
      .with_reason("AmbiguousInstance");
}

}  // namespace

void KnownInstances::listed(InstanceSnapshot::Ptr listing, runtime::TimePoint began) {
  judge(std::move(listing), began);
  // A cloud that never had an instance is no cause for suspicion that anybody should see.
  const bool noteworthy = suspect_ && (!listing_->complete() || trusted_size_ > 0);
  if (!noteworthy) suspect_since_.reset();
  if (noteworthy && !suspect_since_) suspect_since_ = began;
}

void KnownInstances::judge(InstanceSnapshot::Ptr listing, runtime::TimePoint began) {
  listing_ = std::move(listing);
  began_ = began;
  std::erase_if(singles_, [&](const auto& entry) { return entry.second.began <= began; });
  index_singles();
  std::erase_if(unlisted_, [&](const auto& entry) {
    const std::string& key = entry.first;
    return began - entry.second > kKeep || !listing_->find_name(key).empty() ||
           listing_->find_provider_id(key) != InstanceSnapshot::kNone;
  });
  if (!listing_->complete()) {
    suspect_ = true;
    return;
  }
  const std::size_t size = listing_->size();
  const bool shrank = size * 2 < trusted_size_;
  if (shrank && !shrank_since_) shrank_since_ = began;
  if (!shrank) shrank_since_.reset();
  const bool long_enough = shrank && began - *shrank_since_ >= kDoubt;
  // An empty listing is never proof: with the wrong project or credential it looks the same.
  suspect_ = size == 0 || (shrank && !long_enough);
  if (suspect_) return;
  trusted_size_ = size;
  shrank_since_.reset();
}

void KnownInstances::answered(const InstanceQuery& query, const InstanceAnswer& answer,
                              runtime::TimePoint began) {
  const bool hidden = answer.snapshot && listing_ && listing_->complete() && !find_listed(query);
  if (hidden) {
    unlisted_[key_of(query)] = began;
  } else {
    unlisted_.erase(key_of(query));
  }
  if (singles_.size() >= prune_at_) {
    std::erase_if(singles_, [&](const auto& entry) { return began - entry.second.began > kKeep; });
    index_singles();
    prune_at_ = std::max<std::size_t>(64, singles_.size() * 2);
  }
  const std::string key = key_of(query);
  Single& single = singles_[key];
  if (single.began > began) return;
  single = {answer, began};
  if (!answer.snapshot) return;
  const std::string name(answer.snapshot->name(answer.index));
  const auto [first, last] = single_keys_.equal_range(name);
  const bool indexed =
      std::any_of(first, last, [&](const auto& entry) { return entry.second == key; });
  if (!indexed) single_keys_.emplace(name, key);
}

void KnownInstances::index_singles() {
  single_keys_.clear();
  for (const auto& [key, single] : singles_) {
    const InstanceAnswer& answer = single.answer;
    if (answer.snapshot) single_keys_.emplace(answer.snapshot->name(answer.index), key);
  }
}

void KnownInstances::outdated(const std::string& name, const std::string& provider_id,
                              runtime::TimePoint now) {
  std::erase_if(hints_, [&](const auto& entry) { return now - entry.second > kKeep; });
  const std::string own = own_id(provider_id);
  for (const std::string* key : {&name, &provider_id, &own}) {
    if (!key->empty()) hints_[*key] = now;
  }
}

runtime::TimePoint KnownInstances::earliest(const InstanceQuery& query, runtime::TimePoint now,
                                            std::chrono::milliseconds max_age) const {
  runtime::TimePoint earliest = std::max(query.not_before, now - max_age);
  if (hints_.empty()) return earliest;
  const std::string own = own_id(query.provider_id);
  for (const std::string* key : {&query.name, &query.provider_id, &own}) {
    const auto hint = hints_.find(*key);
    if (hint != hints_.end()) earliest = std::max(earliest, hint->second);
  }
  return earliest;
}

std::optional<InstanceAnswer> KnownInstances::find(const InstanceQuery& query,
                                                   runtime::TimePoint not_before) const {
  const auto single = singles_.find(key_of(query));
  const bool polled = query.max_age > std::chrono::milliseconds(0);
  if (single != singles_.end() && single->second.began >= not_before &&
      (single->second.answer.snapshot || polled)) {
    return single->second.answer;
  }
  if (!listed_since(not_before)) return std::nullopt;
  auto answer = find_listed(query);
  if (!answer && !unlisted(query) && !suspect_ && !listing_->may_lack(query.provider_id))
    answer = InstanceAnswer{};
  return answer;
}

std::string KnownInstances::own_id(const std::string& provider_id) const {
  const std::size_t index = listing_ && !provider_id.empty()
                                ? listing_->find_provider_id(provider_id)
                                : InstanceSnapshot::kNone;
  return index == InstanceSnapshot::kNone ? provider_id : std::string(listing_->provider_id(index));
}

std::string KnownInstances::known_id(const InstanceAnswer& answer) const {
  const InstanceSnapshot& found = *answer.snapshot;
  std::string id(found.provider_id(answer.index));
  if (listing_) {
    const std::string own = own_id(id);
    if (own != id || listing_->find_provider_id(id) != InstanceSnapshot::kNone) return own;
    for (const std::size_t index : listing_->find_name(found.name(answer.index))) {
      if (is_same_instance(found, answer.index, *listing_, index)) {
        return std::string(listing_->provider_id(index));
      }
    }
    return id;
  }
  const auto [first, last] = single_keys_.equal_range(std::string(found.name(answer.index)));
  for (auto entry = first; entry != last; ++entry) {
    const auto single = singles_.find(entry->second);
    if (single == singles_.end()) continue;
    const InstanceAnswer& known = single->second.answer;
    if (known.snapshot && is_same_instance(found, answer.index, *known.snapshot, known.index)) {
      return std::string(known.snapshot->provider_id(known.index));
    }
  }
  return id;
}

bool KnownInstances::unlisted(const InstanceQuery& query) const {
  return unlisted_.contains(key_of(query));
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

}  // namespace ccm::cloud
