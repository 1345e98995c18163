#include "records.hpp"

namespace ccm::service {

std::shared_ptr<Record> Records::find(const std::string& key) const {
  const auto place = records_.find(key);
  return place == records_.end() ? nullptr : place->second;
}

// A pass of Nodes does not wait for a Service that is gone.
void Records::erase(const std::string& key) {
  const auto place = records_.find(key);
  if (place == records_.end()) return;
  if (NodePass::take(*place->second)) pass_.ended(timer_.now());
  members_.watch_labels(place->second->node_labels, {});
  records_.erase(place);
}

std::shared_ptr<Record> Records::of(const std::string& key, const std::string& uid) {
  std::shared_ptr<Record>& record = records_[key];
  if (!record || record->uid != uid) {
    if (record) members_.watch_labels(record->node_labels, {});
    record = std::make_shared<Record>();
    record->uid = uid;
  }
  return record;
}

}  // namespace ccm::service
