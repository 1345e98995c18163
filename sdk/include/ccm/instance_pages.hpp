// A listing of instances in pages, whose cloud goes on making and deleting instances while the
// pages are read: that moves instances from one page to another, so that one may stand twice and
// another one be missed.
//
//   auto read = [this, ctx]() -> Task<Result<InstancePages>> { ... pages.add(1, ...); ... };
//   auto instances = co_await list_steadily(read);
#pragma once

#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ccm {

// One reading of all pages.
class InstancePages {
 public:
  // Adds the instances of page `number`, and the total that it states. Pages may come in
  // any order; one that is given again replaces the earlier one.
  void add(int64_t number, std::vector<Instance> instances, int64_t total) {
    pages_[number] = {std::move(instances), total};
  }

  // How many instances the pages hold, and how many there are as the first page says.
  [[nodiscard]] int64_t count() const {
    int64_t all = 0;
    for (const auto& [number, page] : pages_) all += static_cast<int64_t>(page.instances.size());
    return all;
  }
  [[nodiscard]] int64_t total() const { return pages_.empty() ? 0 : pages_.begin()->second.total; }

  // Nothing moved: all pages say the same total, and that number of instances was read, none of
  // them twice.
  [[nodiscard]] bool held_still() const {
    std::unordered_set<std::string_view> ids;
    for (const auto& [number, page] : pages_) {
      if (page.total != total()) return false;
      for (const Instance& instance : page.instances) ids.insert(instance.provider_id);
    }
    return count() == total() && static_cast<int64_t>(ids.size()) == count();
  }

  // All instances in the order of the pages, each once, as it was read last. Leaves this empty.
  [[nodiscard]] std::vector<Instance> take() {
    std::vector<Instance> all;
    for (auto& [number, page] : pages_) {
      std::move(page.instances.begin(), page.instances.end(), std::back_inserter(all));
    }
    pages_.clear();
    std::unordered_map<std::string_view, size_t> last;
    for (size_t i = 0; i < all.size(); ++i) last[all[i].provider_id] = i;
    if (last.size() == all.size()) return all;
    std::vector<bool> kept(all.size());
    for (const auto& [id, i] : last) kept[i] = true;
    std::vector<Instance> once;
    once.reserve(last.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (kept[i]) once.push_back(std::move(all[i]));
    }
    return once;
  }

 private:
  struct Page {
    std::vector<Instance> instances;
    int64_t total = 0;
  };

  std::map<int64_t, Page> pages_;
};

// Reads with `read`, which returns a Task<Result<InstancePages>>, and once more when the listing
// did not hold still. It is incomplete when that was no better. Failures: those of `read`.
template <typename Read>
Task<Result<InstanceList>> list_steadily(Read read) {
  auto first = co_await read();
  if (!first.ok()) co_return first.status();
  InstanceList list;
  if (first->held_still()) {
    list.instances = first->take();
    co_return list;
  }
  auto second = co_await read();
  if (!second.ok()) co_return second.status();
  list.complete = second->held_still();
  list.instances = second->take();
  co_return list;
}

}  // namespace ccm
