// Reading a collection of objects with IDs to its end.
#pragma once

#include "api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack {

// Takes the objects of a listing one after the other. Null: the listing begins, perhaps once more.
// Throws json::exception.
using TakeObject = std::function<void(const nlohmann::json* entry)>;

// Puts them into `all`, which has to outlive it.
template <typename T>
TakeObject into(std::vector<T>& all, T (*read)(const nlohmann::json& entry)) {
  return [&all, read](const nlohmann::json* entry) {
    if (entry == nullptr) {
      all.clear();
    } else {
      all.push_back(read(*entry));
    }
  };
}

// The pages of one listing, whose objects are in the answer's list `name`.
class Pages {
 public:
  Pages(const char* name, TakeObject take) : name_(name), take_(std::move(take)) {}

  // Failure: bad_answer(), also for an object that was there already.
  Result<PageInfo> take(std::string_view body, bool first);

 private:
  const char* name_;
  TakeObject take_;
  std::set<std::string> ids_;
};

// Failures: those of Api::list and of Pages::take.
Task<Status> read_pages(Api& api, Ctx ctx, Collection collection, const char* name,
                        TakeObject take);

}  // namespace ccm::openstack
