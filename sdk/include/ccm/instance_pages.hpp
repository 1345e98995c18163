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
  // Adds the instances of page `number`, and the total that it states; 0 where the cloud tells
  // none. Pages may come in any order; one that is given again replaces the earlier one.
  void add(int64_t number, std::vector<Instance> instances, int64_t total = 0) {
    pages_[number] = {std::move(instances), total};
  }

  // How many instances the pages hold, and how many there are as the first page says.
  [[nodiscard]] int64_t count() const {
    int64_t all = 0;
    for (const auto& [number, page] : pages_) all += static_cast<int64_t>(page.instances.size());
    return all;
  }
  [[nodiscard]] int64_t total() const { return pages_.empty() ? 0 : pages_.begin()->second.total; }

  // Some page says how many there are.
  [[nodiscard]] bool tells_total() const {
    for (const auto& [number, page] : pages_) {
      if (page.total != 0) return true;
    }
    return false;
  }

  // Nothing moved: all pages say the same total, and that number of instances was read, none of
  // them twice. Without a total a single page proves it, and more of them prove nothing.
  [[nodiscard]] bool held_still() const {
    for (const auto& [number, page] : pages_) {
      if (page.total != total()) return false;
    }
    const bool all_read = tells_total() ? count() == total() : pages_.size() <= 1 || count() == 0;
    return all_read && static_cast<int64_t>(ids().size()) == count();
  }

  // Nothing moved between two readings of a cloud that tells no total: they have the same
  // instances, each once.
  [[nodiscard]] bool repeats(const InstancePages& earlier) const {
    if (tells_total() || earlier.tells_total()) return false;
    return static_cast<int64_t>(ids().size()) == count() && ids() == earlier.ids();
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

  [[nodiscard]] std::unordered_set<std::string_view> ids() const {
    std::unordered_set<std::string_view> all;
    for (const auto& [number, page] : pages_) {
      for (const Instance& instance : page.instances) all.insert(instance.provider_id);
    }
    return all;
  }

  std::map<int64_t, Page> pages_;
};

// Reads with `read`, which returns a Task<Result<InstancePages>>, until the listing held still:
// twice at most, or, where the cloud tells no total, until two readings in a row have the same
// instances, three times at most. It is incomplete when that was no better. Failures: those of
// `read`.
template <typename Read>
Task<Result<InstanceList>> list_steadily(Read read) {
  auto first = co_await read();
  if (!first.ok()) co_return first.status();
  InstancePages pages = std::move(*first);
  bool steady = pages.held_still();
  const int more = pages.tells_total() ? 1 : 2;
  for (int again = 0; !steady && again < more; ++again) {
    auto next = co_await read();
    if (!next.ok()) co_return next.status();
    steady = next->held_still() || next->repeats(pages);
    pages = std::move(*next);
  }
  InstanceList list;
  list.complete = steady;
  list.instances = pages.take();
  co_return list;
}

}  // namespace ccm
