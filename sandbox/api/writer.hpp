#pragma once

#include "api/request_info.hpp"
#include "store/store.hpp"

namespace sandbox {

// Every write of API objects: all stored objects have passed through here (API-44 to API-58).
class Writer {
 public:
  explicit Writer(Store& store) : store_(store) {}

  struct Result {
    ObjectPtr object;  // as stored; of a deletion the last state
    bool created = false;
    bool removed = false;  // the object is gone now
  };

  // `object` is normalised. With `dry_run` everything happens except for the storing.
  Result create(const Resource& resource, const std::string& name_space, Json object, bool dry_run);
  // Replaces `old` by `candidate`, of which a status write may change only the status (API-51).
  Result update(const Resource& resource, const ObjectPtr& old, Json candidate,
                const std::string& subresource, bool dry_run);
  // Removes, or marks as being deleted while finalizers remain (API-56).
  Result remove(const Resource& resource, const ObjectPtr& old, bool dry_run);

 private:
  Result remove_namespace(const Resource& resource, const ObjectPtr& old);
  bool empty_namespace(const std::string& name);
  void finish_namespace(const std::string& name);
  void check_namespace(const Resource& resource, const std::string& name_space,
                       const std::string& name) const;

  Store& store_;
};

}  // namespace sandbox
