#pragma once

#include "store/collection.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sandbox {

// All collections, which share one revision counter.
class Store {
 public:
  Store(std::size_t collections, std::size_t history);

  Collection& collection(std::size_t index) { return *collections_[index]; }
  const Collection& collection(std::size_t index) const { return *collections_[index]; }
  Revision revision() const { return revision_; }

  // Each stamps the next revision, stores, calls the watchers and returns the stored object.
  ObjectPtr create(std::size_t index, std::string key, Json value);
  ObjectPtr update(std::size_t index, const std::string& key, Json value);
  // Null if there is none.
  ObjectPtr remove(std::size_t index, const std::string& key);

  // Remembers the present state; restore() goes back to it, its revision included, as etcd does
  // with a copy: whatever was written since has never been. Cuts all watches.
  void back_up();
  // False without a copy.
  bool restore();

  // Makes every revision before the present one unreachable.
  void expire_history();

 private:
  struct Copy {
    Revision revision;
    std::vector<std::map<std::string, ObjectPtr, std::less<>>> objects;
  };

  Revision revision_ = 1;
  std::optional<Copy> copy_;
  std::vector<std::unique_ptr<Collection>> collections_;
};

}  // namespace sandbox
