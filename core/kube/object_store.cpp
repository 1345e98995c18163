#include "kube/object_store.hpp"

#include <mutex>

namespace ccm::kube {

ObjectPtr ObjectStore::put(ObjectPtr object) {
  const std::unique_lock lock(mutex_);
  bytes_ += object->memory();
  const auto found = objects_.find(key_of(*object));
  if (found == objects_.end()) {
    objects_.insert(std::move(object));
    return nullptr;
  }
  // Reuses the node of the set.
  auto node = objects_.extract(found);
  ObjectPtr before = std::move(node.value());
  bytes_ -= before->memory();
  if (before->uid() == object->uid()) object->seen_ = before->seen_;
  node.value() = std::move(object);
  objects_.insert(std::move(node));
  return before;
}

ObjectPtr ObjectStore::remove(Key key, const ObjectPtr& event) {
  if (event != nullptr) event->deletion_seen_ = true;
  const std::unique_lock lock(mutex_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  ObjectPtr before = *found;
  bytes_ -= before->memory();
  objects_.erase(found);
  return before;
}

ObjectPtr ObjectStore::get(Key key) const {
  const std::shared_lock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : *found;
}

std::vector<ObjectPtr> ObjectStore::list() const {
  const std::shared_lock lock(mutex_);
  return {objects_.begin(), objects_.end()};
}

std::size_t ObjectStore::size() const {
  const std::shared_lock lock(mutex_);
  return objects_.size();
}

std::size_t ObjectStore::bytes() const {
  const std::shared_lock lock(mutex_);
  return bytes_;
}

}  // namespace ccm::kube
