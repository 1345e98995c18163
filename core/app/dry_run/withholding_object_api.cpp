#include "app/dry_run/withholding_object_api.hpp"

#include "app/dry_run/patched_object.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::app {
namespace {

using kube::CallOptions;
using kube::Resource;

std::string object_name(const std::string& namespace_name, const std::string& name) {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

std::string place_of(const Resource& resource, const std::string& subresource) {
  return subresource.empty() ? resource.id() : resource.id() + "/" + subresource;
}

class WithholdingObjectApi final : public plugin::ObjectApi {
 public:
  WithholdingObjectApi(std::shared_ptr<ObjectApi> reads, std::string controller,
                       PlannedObjects& objects, Plan& plan, runtime::EventLoop& loop)
      : reads_(std::move(reads)),
        controller_(std::move(controller)),
        objects_(objects),
        plan_(plan),
        loop_(loop) {}

  void get(Resource resource, std::string namespace_name, std::string name, CallOptions call,
           Done done) override {
    auto answered = [&objects = objects_,
                     key = PlannedObjects::Key(resource.id(), namespace_name, name),
                     done = std::move(done)](Result<std::string> body) {
      done(objects.applied(key, std::move(body)));
    };
    reads_->get(std::move(resource), std::move(namespace_name), std::move(name), std::move(call),
                std::move(answered));
  }
  void list(Resource resource, std::string namespace_name, kube::ListOptions options,
            CallOptions call, Done done) override {
    reads_->list(std::move(resource), std::move(namespace_name), std::move(options),
                 std::move(call), std::move(done));
  }

  void create(Resource resource, std::string namespace_name, std::string body, kube::WriteOptions,
              CallOptions, Done done) override {
    const auto object = nlohmann::json::parse(body, nullptr, false);
    std::string name;
    if (object.is_object()) name = object.value("/metadata/name"_json_pointer, "");
    note("create " + resource.id(), object_name(namespace_name, name), body);
    succeed(std::move(body), std::move(done));
  }
  void create_sub(Resource resource, std::string namespace_name, std::string name,
                  std::string subresource, std::string body, CallOptions, Done done) override {
    note("create " + place_of(resource, subresource), object_name(namespace_name, name), body);
    succeed(std::move(body), std::move(done));
  }
  void patch(Resource resource, std::string namespace_name, std::string name, kube::PatchType type,
             std::string body, kube::WriteOptions options, CallOptions, Done done) override {
    PlannedObjects::Texts texts = objects_.patch({resource.id(), namespace_name, name}, type, body);
    Change change{controller_,
                  object_name(namespace_name, name),
                  "patch " + place_of(resource, options.subresource),
                  changed_fields(texts.before, texts.after),
                  {}};
    if (!change.fields.empty()) plan_.note(std::move(change));
    succeed(std::move(texts.after), std::move(done));
  }
  void remove(Resource resource, std::string namespace_name, std::string name, kube::DeleteOptions,
              CallOptions, Done done) override {
    note("delete " + resource.id(), object_name(namespace_name, name), {});
    objects_.remove({resource.id(), namespace_name, name});
    succeed("{}", std::move(done));
  }

 private:
  void note(std::string action, std::string object, std::string body) {
    plan_.note({controller_, std::move(object), std::move(action), {}, std::move(body)});
  }
  void succeed(std::string body, Done done) {
    loop_.post([body = std::move(body), done = std::move(done)] { done(body); });
  }

  const std::shared_ptr<ObjectApi> reads_;
  const std::string controller_;
  PlannedObjects& objects_;
  Plan& plan_;
  runtime::EventLoop& loop_;
};

}  // namespace

std::shared_ptr<plugin::ObjectApi> withhold_writes(std::shared_ptr<plugin::ObjectApi> reads,
                                                   std::string controller, PlannedObjects& objects,
                                                   Plan& plan, runtime::EventLoop& loop) {
  return std::make_shared<WithholdingObjectApi>(std::move(reads), std::move(controller), objects,
                                                plan, loop);
}

}  // namespace ccm::app
