// A small Kubernetes API server and the cache in front of it, for unit tests: objects, patches with
// preconditions, resourceVersions, finalizers, watch events. Strategic merge patches are applied as
// RFC 7386 merge patches, but for finalizers and conditions; validation is left to the test. Test's
// thread, but for the ABI's functions.
#pragma once

#include <ccm/abi/kube.h>
#include <ccm/kube.hpp>
#include <ccm/object.hpp>
#include <ccm/status.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::testing {

// One request that reached the server.
struct KubeCall {
  std::string verb;  // get, list, patch, create, delete
  std::string resource;
  std::string namespace_name;
  std::string name;
  std::string subresource;
  int32_t patch_type = 0;
  std::string body;
  PatchAnswer answer = PatchAnswer::whole;  // metadata: it is a PartialObjectMetadata
};

class FakeKube {
 public:
  // As in ccm/abi/controller.h: kind, old, now.
  using Listener = std::function<void(int32_t kind, const Object& old, const Object& now)>;

  FakeKube(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts);
  ~FakeKube();
  FakeKube(const FakeKube&) = delete;
  FakeKube& operator=(const FakeKube&) = delete;

  // Stores an object as somebody else would write it (a new resourceVersion) and lets the cache see
  // it when caches follow.
  void put(const std::string& resource, std::string_view json);
  void remove(const std::string& resource, const std::string& name,
              const std::string& namespace_name = {});
  // The server's object, as JSON text; empty when there is none.
  [[nodiscard]] std::string stored(const std::string& resource, const std::string& name,
                                   const std::string& namespace_name = {}) const;

  // Whether the cache sees each change at once (the default), or only by catch_up(): a stale cache.
  void set_cache_follows(bool follows);
  void catch_up();
  // Sends a resync event for everything cached.
  void resync();
  // Sends a hinted event for one cached object, as after a hint of the provider.
  void hint(const std::string& resource, const std::string& name,
            const std::string& namespace_name = {});
  // Makes the cache keep a resource that no watch names: "reads" of the manifest.
  void read(const std::string& resource, const std::vector<std::string>& fields);
  // Whether the cache of a watched resource has its first complete list (the default).
  void set_synced(const std::string& resource, bool synced);
  // The answer to a create with a subresource ("v1/serviceaccounts/token"), as JSON.
  void answer_create(const std::string& resource, std::string json);

  // The next `count` calls of a verb on a resource ("v1/nodes", "v1/nodes/status") fail like that
  // and change nothing.
  void fail_next(std::string verb, std::string resource, Status status, int count = 1);
  // Like that, but the write does happen before the answer is lost.
  void lose_answer(std::string verb, std::string resource, Status status);
  // Runs `fn` when the next call of that kind arrives, before it is handled.
  void before_next(std::string verb, std::string resource, std::function<void()> fn);

  // Asked before each patch of a resource takes effect, with both states as JSON text; a failure is
  // the answer instead. For what the real server refuses: an immutable field, say.
  using Validate = std::function<Status(std::string_view before, std::string_view after)>;
  void validate_patches(const std::string& resource, Validate validate);

  [[nodiscard]] std::vector<KubeCall> calls() const;
  // The calls of one verb.
  [[nodiscard]] std::vector<KubeCall> calls(std::string_view verb) const;
  void clear_calls();

  // A watch: the cache keeps `fields` of `resource` from now on, and `listener` hears of what is
  // cached and of each change, posted.
  void watch(const std::string& resource, const std::vector<std::string>& fields,
             Listener listener);
  [[nodiscard]] const ccm_host_kube* table() const { return &table_; }

 private:
  struct State;
  struct Table;
  FakeLoop& loop_;
  FakeContexts& contexts_;
  ccm_host_kube table_{};
  std::unique_ptr<State> state_;
};

}  // namespace ccm::testing
