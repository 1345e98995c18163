// The objects of a dry run: what a patch makes of one, and the cluster as the withheld writes would
// leave it.
#pragma once

#include "app/dry_run/plan.hpp"
#include "kube/client.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/event_loop.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ccm::app {

// Pure, any thread. The object after the patch, as JSON, as far as its fields are known. `object`
// is a JSON object; a body that does not fit it changes nothing: the API server would refuse it.
// Lists of Nodes and Services that the API server merges are merged (API-47), all others replaced.
std::string patched(std::string_view object, kube::PatchType type, std::string_view body);

// The values that differ; metadata.uid and metadata.resourceVersion are none.
std::vector<FieldChange> changed_fields(std::string_view before, std::string_view after);

// The caches with the withheld writes on top, and their events. So a controller sees its own
// writes, and other controllers' too, and goes on as in a real run.
class PlannedObjects final : public plugin::ObjectCache, public runtime::EventSource {
 public:
  // The references must outlive it.
  PlannedObjects(const plugin::ObjectCache& cache, runtime::EventSource& events,
                 runtime::EventLoop& loop)
      : cache_(cache), events_(events), loop_(loop) {}

  // Any thread.
  [[nodiscard]] kube::ObjectPtr get(std::string_view resource, std::string_view namespace_name,
                                    std::string_view name) const override;
  [[nodiscard]] plugin::CacheState state(std::string_view resource) const override {
    return cache_.state(resource);
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view resource,
                                                  std::string_view namespace_name) const override;

  // Loop thread, as all below. A watch with a selector gets no events of withheld writes: whether
  // it selects the object is the API server's to say.
  Status watch(const runtime::WatchSpec& spec, kube::InformerHandler handler) override;

  // Resource ("v1/nodes"), namespace, name.
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Texts {
    std::string before;  // JSON, as far as the cache knows the object
    std::string after;
  };
  Texts patch(const Key& key, kube::PatchType type, const std::string& body);
  void remove(const Key& key);
  // A fresh answer of the API server, with the withheld writes.
  [[nodiscard]] Result<std::string> applied(const Key& key, Result<std::string> body) const;

 private:
  struct Edited {
    std::vector<std::pair<kube::PatchType, std::string>> patches;
    kube::ObjectPtr base;     // the cached object
    kube::ObjectPtr planned;  // null: deleted
  };
  struct Subscriber {
    std::string resource;
    std::shared_ptr<const kube::InformerHandler> handler;
  };

  static std::string with_patches(std::string object, const Edited& edited);
  static kube::ObjectPtr planned_of(const kube::ObjectPtr& base, const Edited& edited);
  // The state of an object as a controller may see it; `real` when nothing of it was withheld.
  [[nodiscard]] kube::ObjectPtr view(const Key& key, const kube::ObjectPtr& real) const;
  void updated(const kube::InformerHandler& handler, const Key& key, const kube::ObjectPtr& before,
               const kube::ObjectPtr& now, bool changed);
  void deleted(const kube::InformerHandler& handler, const Key& key, const kube::ObjectPtr& last,
               bool unknown);
  void announce(const std::string& resource, kube::ObjectPtr before, kube::ObjectPtr now);

  const plugin::ObjectCache& cache_;
  runtime::EventSource& events_;
  runtime::EventLoop& loop_;
  std::vector<Subscriber> subscribers_;
  mutable std::mutex mutex_;  // for edited_
  std::map<Key, Edited> edited_;
};

}  // namespace ccm::app
