// The local copy of the API server's objects: one thread writes, any thread reads. Private to
// core/kube.
#pragma once

#include "kube/object.hpp"

#include <cstddef>
#include <functional>
#include <shared_mutex>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ccm::kube {

class ObjectStore {
 public:
  using Key = std::pair<std::string_view, std::string_view>;  // namespace, name

  static Key key_of(const Object& object) { return {object.namespace_name(), object.name()}; }

  // The previous one, null if none.
  ObjectPtr put(ObjectPtr object);
  // `event`: the object of the API server's event that it is deleted; null = there was none.
  ObjectPtr remove(Key key, const ObjectPtr& event);
  [[nodiscard]] ObjectPtr get(Key key) const;
  [[nodiscard]] std::vector<ObjectPtr> list() const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  // The key lies in the object itself, so that an entry costs one pointer and the set's node.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const {
      const std::hash<std::string_view> hash;
      return hash(key.second) ^ (hash(key.first) * 31);
    }
    std::size_t operator()(const ObjectPtr& object) const { return (*this)(key_of(*object)); }
  };
  struct Equal {
    using is_transparent = void;
    static Key key(const Key& key) { return key; }
    static Key key(const ObjectPtr& object) { return key_of(*object); }
    template <typename Left, typename Right>
    bool operator()(const Left& left, const Right& right) const {
      return key(left) == key(right);
    }
  };

  mutable std::shared_mutex mutex_;
  std::unordered_set<ObjectPtr, Hash, Equal> objects_;
  std::size_t bytes_ = 0;
};

}  // namespace ccm::kube
