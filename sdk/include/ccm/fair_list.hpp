// A list from which each namespace takes in turn: thousands of objects of one tenant delay those of
// another by one place. Within a namespace, first come first served. Not thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ccm {

// The namespace of a key "namespace/name"; empty for objects that have none, such as Nodes.
inline std::string_view namespace_of(std::string_view key) {
  const auto slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

template <typename Item>
class FairList {
  struct Group {
    std::string name;
    std::list<Item> items;
  };
  using Groups = std::list<Group>;

 public:
  // Where an item is; valid until it leaves the list.
  struct Place {
    typename Groups::iterator group;
    typename std::list<Item>::iterator item;
  };

  Place push_back(std::string_view namespace_name, Item item) {
    const std::string name(namespace_name);
    auto known = places_.find(name);
    if (known == places_.end()) {
      known = places_.emplace(name, groups_.insert(groups_.end(), Group{name, {}})).first;
    }
    const auto group = known->second;
    ++size_;
    return {group, group->items.insert(group->items.end(), std::move(item))};
  }

  void erase(const Place& place) {
    place.group->items.erase(place.item);
    --size_;
    forget_if_empty(place.group);
  }

  // Takes the first item of the next namespace that `may` accepts; nullopt when it accepts none.
  template <typename May>
  std::optional<Item> take_if(May may) {
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
      if (!may(std::string_view(group->name))) continue;
      Item item = std::move(group->items.front());
      group->items.pop_front();
      --size_;
      groups_.splice(groups_.end(), groups_, group);  // the others come first
      forget_if_empty(group);
      return item;
    }
    return std::nullopt;
  }
  std::optional<Item> take() {
    return take_if([](std::string_view) { return true; });
  }

  void clear() {
    places_.clear();
    groups_.clear();
    size_ = 0;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void forget_if_empty(typename Groups::iterator group) {
    if (!group->items.empty()) return;
    places_.erase(group->name);
    groups_.erase(group);
  }

  Groups groups_;  // none of them empty; the one whose turn is next first
  std::unordered_map<std::string, typename Groups::iterator> places_;
  std::size_t size_ = 0;
};

}  // namespace ccm
