// The part of the Kubernetes client that the kube service needs: an interface, so that tests need
// no server.
#pragma once

#include "kube/client.hpp"
#include "kube/informer.hpp"
#include "kube/object.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

using kube::ObjectRequest;

// Live calls under one component's identity.
class ObjectApi {
 public:
  using Done = std::function<void(Result<std::string> body)>;
  virtual ~ObjectApi() = default;
  // Loop thread; `done` is called once, on the loop, and not inside the call.
  virtual void send(ObjectRequest request, Done done) = 0;
};

// The real one.
std::unique_ptr<ObjectApi> make_object_api(kube::Client client);

// send() as a Task; `api` must outlive it.
Task<Result<std::string>> answer_of(ObjectApi& api, ObjectRequest request);

// `synced`: a complete list has come.
enum class CacheState { not_watched, not_synced, synced };

// Reads from the shared caches. Any thread.
class ObjectCache {
 public:
  virtual ~ObjectCache() = default;
  // `resource` as "v1/nodes". Null when the object is absent or nobody watches that resource.
  [[nodiscard]] virtual kube::ObjectPtr get(std::string_view resource,
                                            std::string_view namespace_name,
                                            std::string_view name) const = 0;
  // The state of a resource's cache. When several informers have parts of it (other selectors), all
  // have to be synced.
  [[nodiscard]] virtual CacheState state(std::string_view resource) const = 0;
  // All of them, in no order; of one namespace unless that is empty.
  [[nodiscard]] virtual std::vector<kube::ObjectPtr> list(
      std::string_view resource, std::string_view namespace_name) const = 0;
};

// The informers of this process.
class InformerCache final : public ObjectCache {
 public:
  // Takes notice of new informers. Loop thread; to be called whenever some were added.
  void update(const kube::InformerSet& informers);
  [[nodiscard]] kube::ObjectPtr get(std::string_view resource, std::string_view namespace_name,
                                    std::string_view name) const override;
  [[nodiscard]] CacheState state(std::string_view resource) const override;
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view resource,
                                                  std::string_view namespace_name) const override;

 private:
  struct Entry {
    std::string resource;
    std::shared_ptr<kube::Informer> informer;
  };
  [[nodiscard]] std::vector<Entry> matching(std::string_view resource) const;

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace ccm::plugin
