// The state of the fake API server. Private to the testing library.
#pragma once

#include "ccm/testing/fake_kube.hpp"

#include <ccm/kube.hpp>

#include <nlohmann/json.hpp>

#include <deque>
#include <mutex>
#include <set>
#include <utility>

namespace ccm::testing {

using Json = nlohmann::ordered_json;

inline std::string object_key(const std::string& namespace_name, const std::string& name) {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

struct FakeKube::State {
  struct Fault {
    std::string verb;
    std::string resource;
    Status status;
    bool happens;  // the call is carried out all the same
    std::function<void()> before;
  };
  struct Cached {
    Object object;
    Json document;  // what the cache keeps of it
  };
  // Name, or namespace/name, to object.
  using Stored = std::map<std::string, Json>;

  State(FakeLoop& the_loop, FakeObjects& the_objects) : loop(the_loop), objects(the_objects) {}

  Result<Object> handle(KubeCall call);
  Result<std::vector<Object>> list(KubeCall call);
  // CCM_CACHE_FOUND when the cache of the resource can be read, else why not.
  [[nodiscard]] int32_t readable(const std::string& resource) const;
  void store(const std::string& resource, Json object);
  void erase(const std::string& resource, const std::string& key);
  [[nodiscard]] const Json* find(const std::string& resource, const std::string& key) const;

  [[nodiscard]] Object cached(const std::string& resource, const std::string& space,
                              const std::string& name) const;
  [[nodiscard]] std::vector<Object> cached_all(const std::string& resource) const;
  void watch(const std::string& resource, const std::vector<std::string>& fields,
             Listener listener);
  void catch_up();
  void resync();
  void tell(const std::string& resource, int32_t kind, const Object& old, const Object& now);

  FakeLoop& loop;
  FakeObjects& objects;
  bool cache_follows = true;
  std::deque<Fault> faults;
  std::map<std::string, Validate> validators;
  std::set<std::string> not_synced;
  std::map<std::string, std::string> created;  // by resource and subresource: the answer
  std::vector<KubeCall> calls;

 private:
  Result<Object> carry_out(const KubeCall& call);
  Result<Object> patch(const KubeCall& call, Json& object);
  Result<Object> create(const KubeCall& call);
  Result<Object> remove(const KubeCall& call);
  // Brings one cached object up to the server's state.
  void follow(const std::string& resource, const std::string& key);
  [[nodiscard]] Json project(const std::string& resource, const Json& object) const;
  // Notes a call; the status that a test scripted for it, ok when none. `happens`: it is carried
  // out.
  Status scripted(const KubeCall& call, bool& happens);

  mutable std::recursive_mutex mutex_;
  std::map<std::string, Stored> server_;
  std::map<std::string, std::map<std::string, Cached>> cache_;
  std::map<std::string, std::set<std::string>> fields_;
  std::map<std::string, std::vector<Listener>> listeners_;
  int64_t version_ = 100;
};

}  // namespace ccm::testing
