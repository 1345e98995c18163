// The objects of one kind that a service keeps, in the order in which they were made.
#pragma once

#include <nlohmann/json.hpp>

#include <list>
#include <string>
#include <unordered_map>
#include <vector>

namespace ccm::openstack_api {

using nlohmann::json;

// Each is what is answered, an object with an "id"; members whose name begins with "." are the
// service's own.
class Records {
 public:
  using Iterator = std::list<json>::iterator;

  // `parent`: the member that holds the ID of what a record belongs to, for good; empty = nothing.
  explicit Records(std::string parent = "") : parent_(std::move(parent)) {}

  json& add(json record) {
    records_.push_back(std::move(record));
    json& added = records_.back();
    index_[added.at("id").get<std::string>()] = std::prev(records_.end());
    if (!parent_.empty()) children_[added.at(parent_).get<std::string>()].push_back(&added);
    return added;
  }
  // The records that belong to that.
  [[nodiscard]] const std::vector<json*>& of(const std::string& parent_id) const {
    static const std::vector<json*> kNone;
    const auto place = children_.find(parent_id);
    return place != children_.end() ? place->second : kNone;
  }
  json* find(const std::string& id) {
    const auto place = index_.find(id);
    return place != index_.end() ? &*place->second : nullptr;
  }
  [[nodiscard]] const json* find(const std::string& id) const {
    const auto place = index_.find(id);
    return place != index_.end() ? &*place->second : nullptr;
  }
  void remove(const std::string& id) {
    const auto place = index_.find(id);
    if (place == index_.end()) return;
    if (!parent_.empty())
      std::erase(children_[place->second->at(parent_).get<std::string>()], &*place->second);
    records_.erase(place->second);
    index_.erase(place);
  }
  template <typename Condition>
  void remove_if(Condition condition) {
    for (auto record = records_.begin(); record != records_.end();) {
      const auto next = std::next(record);
      if (condition(*record)) remove(record->at("id").get<std::string>());
      record = next;
    }
  }
  // The first one whose member has that value.
  json* find_by(const char* member, const json& value) {
    for (json& record : records_) {
      if (record.at(member) == value) return &record;
    }
    return nullptr;
  }
  [[nodiscard]] size_t size() const { return records_.size(); }
  auto begin() { return records_.begin(); }
  auto end() { return records_.end(); }
  [[nodiscard]] auto begin() const { return records_.begin(); }
  [[nodiscard]] auto end() const { return records_.end(); }

 private:
  std::string parent_;
  std::list<json> records_;
  std::unordered_map<std::string, Iterator> index_;
  std::unordered_map<std::string, std::vector<json*>> children_;
};

// The part of a record that a client sees.
inline json visible(const json& record) {
  json out = json::object();
  for (const auto& [name, value] : record.items()) {
    if (!name.starts_with('.')) out[name] = value;
  }
  return out;
}

}  // namespace ccm::openstack_api
