#pragma once

#include "store/collection.hpp"

#include <memory>
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

  // Makes every revision before the present one unreachable.
  void expire_history();

 private:
  Revision revision_ = 1;
  std::vector<std::unique_ptr<Collection>> collections_;
};

}  // namespace sandbox
