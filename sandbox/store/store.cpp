#include "store/store.hpp"

namespace sandbox {

Store::Store(std::size_t collections, std::size_t history) {
  for (std::size_t i = 0; i < collections; ++i) {
    collections_.push_back(std::make_unique<Collection>(history));
  }
}

ObjectPtr Store::create(std::size_t index, std::string key, Json value) {
  ObjectPtr object = make_object(std::move(key), std::move(value), ++revision_);
  collections_[index]->add(object);
  return object;
}

ObjectPtr Store::update(std::size_t index, const std::string& key, Json value) {
  ObjectPtr object = make_object(key, std::move(value), ++revision_);
  collections_[index]->replace(object);
  return object;
}

ObjectPtr Store::remove(std::size_t index, const std::string& key) {
  ObjectPtr stored = collections_[index]->find(key);
  if (!stored) return nullptr;
  ObjectPtr last = make_object(key, stored->value, ++revision_);
  collections_[index]->remove(last);
  return last;
}

void Store::back_up() {
  copy_ = Copy{revision_, {}};
  for (const auto& collection : collections_) copy_->objects.push_back(collection->objects());
}

bool Store::restore() {
  if (!copy_) return false;
  revision_ = copy_->revision;
  for (std::size_t index = 0; index < collections_.size(); ++index) {
    collections_[index]->restore(copy_->objects[index], revision_);
  }
  for (auto& collection : collections_) collection->drop_watches(true);
  return true;
}

void Store::expire_history() {
  // One step forward, so that even the newest known revision is in the past.
  ++revision_;
  for (auto& collection : collections_) collection->compact(revision_);
}

}  // namespace sandbox
