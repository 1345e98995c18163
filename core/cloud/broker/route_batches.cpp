#include "cloud/broker/route_batches.hpp"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ccm::plugin {

namespace {

class Batches {
 public:
  explicit Batches(int64_t limit) : limit_(limit > 0 ? static_cast<std::size_t>(limit) : 0) {}

  // The batch with room for that many more changes.
  RouteBatch& with_room(std::size_t changes) {
    if (all.empty() || (limit_ > 0 && size_ + changes > limit_)) {
      all.emplace_back();
      size_ = 0;
    }
    size_ += changes;
    return all.back();
  }

  std::vector<RouteBatch> all;

 private:
  const std::size_t limit_;
  std::size_t size_ = 0;  // of the last one
};

}  // namespace

std::vector<RouteBatch> batches_of(const std::vector<Route>& all_removals,
                                   const std::vector<std::size_t>& removals,
                                   const std::vector<Route>& additions, int64_t limit) {
  std::unordered_set<std::string_view> added;
  for (const Route& route : additions) added.insert(route.destination_cidr);
  Batches batches(limit);
  std::unordered_map<std::string_view, std::vector<std::size_t>> replaced;
  for (const std::size_t index : removals) {
    const std::string_view destination = all_removals[index].destination_cidr;
    if (added.contains(destination)) {
      replaced[destination].push_back(index);
    } else {
      batches.with_room(1).removals.push_back(index);
    }
  }
  for (std::size_t index = 0; index < additions.size(); ++index) {
    // The first addition of a destination takes all of them.
    const auto gone = replaced.extract(additions[index].destination_cidr);
    const std::size_t changes = 1 + (gone.empty() ? 0 : gone.mapped().size());
    RouteBatch& batch = batches.with_room(changes);
    if (!gone.empty()) {
      batch.removals.insert(batch.removals.end(), gone.mapped().begin(), gone.mapped().end());
    }
    batch.additions.push_back(index);
  }
  return std::move(batches.all);
}

}  // namespace ccm::plugin
