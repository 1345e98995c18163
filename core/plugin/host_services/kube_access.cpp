#include "plugin/host_services/kube_access.hpp"

#include "plugin/await_callback.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::plugin {

namespace {

using kube::CallOptions;
using kube::Resource;

class ClientObjectApi final : public ObjectApi {
 public:
  explicit ClientObjectApi(kube::Client client) : client_(std::move(client)) {}

  void get(Resource resource, std::string namespace_name, std::string name, CallOptions call,
           Done done) override {
    spawn(client_.get(std::move(resource), std::move(namespace_name), std::move(name), {}, call),
          std::move(done));
  }
  void create(Resource resource, std::string namespace_name, std::string body,
              kube::WriteOptions options, CallOptions call, Done done) override {
    spawn(client_.create(std::move(resource), std::move(namespace_name), std::move(body),
                         std::move(options), call),
          std::move(done));
  }
  void create_sub(Resource resource, std::string namespace_name, std::string name,
                  std::string subresource, std::string body, CallOptions call, Done done) override {
    spawn(client_.create_sub(std::move(resource), std::move(namespace_name), std::move(name),
                             std::move(subresource), std::move(body), call),
          std::move(done));
  }
  void list(Resource resource, std::string namespace_name, kube::ListOptions options,
            CallOptions call, Done done) override {
    spawn(client_.list(std::move(resource), std::move(namespace_name), std::move(options), call),
          std::move(done));
  }
  void patch(Resource resource, std::string namespace_name, std::string name, kube::PatchType type,
             std::string body, kube::WriteOptions options, CallOptions call, Done done) override {
    spawn(client_.patch(std::move(resource), std::move(namespace_name), std::move(name), type,
                        std::move(body), std::move(options), call),
          std::move(done));
  }
  void remove(Resource resource, std::string namespace_name, std::string name,
              kube::DeleteOptions options, CallOptions call, Done done) override {
    spawn(client_.remove(std::move(resource), std::move(namespace_name), std::move(name),
                         std::move(options), call),
          std::move(done));
  }

 private:
  void spawn(boost::asio::awaitable<Result<std::string>> call, Done done) {
    spawn_call<std::string>(client_.executor(), std::move(call), std::move(done));
  }

  kube::Client client_;
};

}  // namespace

std::unique_ptr<ObjectApi> make_object_api(kube::Client client) {
  return std::make_unique<ClientObjectApi>(std::move(client));
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
