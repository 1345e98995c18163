#include "plugin/host_services/kube_access.hpp"

#include "plugin/await_callback.hpp"
#include "plugin/waiting.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::plugin {

namespace {

class ClientObjectApi final : public ObjectApi {
 public:
  explicit ClientObjectApi(kube::Client client) : client_(std::move(client)) {}

  void send(ObjectRequest request, Done done) override {
    spawn_call<std::string>(client_.executor(), client_.send(std::move(request)), std::move(done));
  }

 private:
  kube::Client client_;
};

}  // namespace

std::unique_ptr<ObjectApi> make_object_api(kube::Client client) {
  return std::make_unique<ClientObjectApi>(std::move(client));
}

Task<Result<std::string>> answer_of(ObjectApi& api, ObjectRequest request) {
  const CallbackAwaiter<Result<std::string>>::Start start = [&](ObjectApi::Done done) {
    api.send(std::move(request), std::move(done));
  };
  CallbackAwaiter<Result<std::string>> asking(start);
  co_return co_await asking;
}

void InformerCache::update(const kube::InformerSet& informers) {
  std::vector<Entry> entries;
  for (const auto& informer : informers.informers()) {
    entries.push_back({informer->spec().resource.id(), informer});
  }
  const std::lock_guard lock(mutex_);
  entries_ = std::move(entries);
}

std::vector<InformerCache::Entry> InformerCache::matching(std::string_view resource) const {
  std::vector<Entry> found;
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.resource == resource) found.push_back(entry);
  }
  return found;
}

kube::ObjectPtr InformerCache::get(std::string_view resource, std::string_view namespace_name,
                                   std::string_view name) const {
  for (const Entry& entry : matching(resource)) {
    if (auto object = entry.informer->get(namespace_name, name)) return object;
  }
  return {};
}

CacheState InformerCache::state(std::string_view resource) const {
  const std::vector<Entry> sources = matching(resource);
  if (sources.empty()) return CacheState::not_watched;
  const bool synced = std::all_of(sources.begin(), sources.end(),
                                  [](const Entry& entry) { return entry.informer->synced(); });
  return synced ? CacheState::synced : CacheState::not_synced;
}

// Several informers of one resource (other selectors) may hold the same object.
std::vector<kube::ObjectPtr> InformerCache::list(std::string_view resource,
                                                 std::string_view namespace_name) const {
  const std::vector<Entry> sources = matching(resource);
  std::vector<kube::ObjectPtr> all;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Entry& entry : sources) {
    for (auto& object : entry.informer->list()) {
      if (!namespace_name.empty() && object->namespace_name() != namespace_name) continue;
      if (sources.size() > 1 && !seen.emplace(object->namespace_name(), object->name()).second) {
        continue;
      }
      all.push_back(std::move(object));
    }
  }
  return all;
}

}  // namespace ccm::plugin
