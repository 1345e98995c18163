#include "cloud/deletion/guarded_object_api.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

class GuardedObjectApi final : public ObjectApi {
 public:
  GuardedObjectApi(std::shared_ptr<ObjectApi> api, NodeDeletions& deletions)
      : api_(std::move(api)), deletions_(deletions) {}

  void get(kube::Resource resource, std::string namespace_name, std::string name,
           kube::CallOptions call, Done done) override {
    api_->get(std::move(resource), std::move(namespace_name), std::move(name), call,
              std::move(done));
  }
  void create(kube::Resource resource, std::string namespace_name, std::string body,
              kube::WriteOptions options, kube::CallOptions call, Done done) override {
    api_->create(std::move(resource), std::move(namespace_name), std::move(body),
                 std::move(options), call, std::move(done));
  }
  void create_sub(kube::Resource resource, std::string namespace_name, std::string name,
                  std::string subresource, std::string body, kube::CallOptions call,
                  Done done) override {
    api_->create_sub(std::move(resource), std::move(namespace_name), std::move(name),
                     std::move(subresource), std::move(body), call, std::move(done));
  }
  void list(kube::Resource resource, std::string namespace_name, kube::ListOptions options,
            kube::CallOptions call, Done done) override {
    api_->list(std::move(resource), std::move(namespace_name), std::move(options), call,
               std::move(done));
  }
  void patch(kube::Resource resource, std::string namespace_name, std::string name,
             kube::PatchType type, std::string body, kube::WriteOptions options,
             kube::CallOptions call, Done done) override {
    api_->patch(std::move(resource), std::move(namespace_name), std::move(name), type,
                std::move(body), std::move(options), call, std::move(done));
  }
  void remove(kube::Resource resource, std::string namespace_name, std::string name,
              kube::DeleteOptions options, kube::CallOptions call, Done done) override {
    if (resource.group.empty() && resource.plural == "nodes") {
      return deletions_.remove({api_, std::move(name), std::move(options), call, std::move(done)});
    }
    api_->remove(std::move(resource), std::move(namespace_name), std::move(name),
                 std::move(options), call, std::move(done));
  }

 private:
  const std::shared_ptr<ObjectApi> api_;
  NodeDeletions& deletions_;
};

}  // namespace

std::shared_ptr<ObjectApi> guard_nodes(std::shared_ptr<ObjectApi> api, NodeDeletions& deletions) {
  return std::make_shared<GuardedObjectApi>(std::move(api), deletions);
}

}  // namespace ccm::plugin
