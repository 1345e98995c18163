#include "plugin/host_services/kube_service.hpp"

#include "net/write_gate.hpp"
#include "plugin/host_services/host_operation.hpp"
#include "plugin/host_services/object_service.hpp"
#include "plugin/host_services/visitor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::plugin {

namespace {

using OperationPtr = std::shared_ptr<HostOperation>;

// An owned ccm_kube_reference; `status` is the fault in it.
struct Reference {
  Status status;
  kube::Resource resource;
  std::string namespace_name;
  std::string name;
  std::string subresource;
};

Reference read_reference(const ccm_kube_reference* reference) {
  Reference read;
  if (reference == nullptr || !CCM_HAS(reference, name)) {
    read.status = Status(Code::invalid_argument, "no reference to a Kubernetes object was given");
    return read;
  }
  auto resource = kube::Resource::parse(view(reference->resource));
  if (!resource) {
    read.status = resource.status();
    return read;
  }
  read.resource = std::move(*resource);
  read.namespace_name = view(reference->namespace_);
  read.name = view(reference->name);
  if (CCM_HAS(reference, subresource)) read.subresource = view(reference->subresource);
  // A given namespace tells the scope of an unknown resource.
  read.resource.namespaced = !read.namespace_name.empty();
  return read;
}

std::optional<kube::PatchType> patch_type(int32_t type) {
  switch (type) {
    case CCM_PATCH_JSON:
      return kube::PatchType::json;
    case CCM_PATCH_MERGE:
      return kube::PatchType::merge;
    case CCM_PATCH_STRATEGIC:
      return kube::PatchType::strategic_merge;
    case CCM_PATCH_APPLY:
      return kube::PatchType::apply;
    default:
      return std::nullopt;
  }
}

// The call ends with the ctx: no retry and no wait for the rate limit goes on after the operation's
// end, to overwrite the write of the next one.
kube::CallOptions call_options(const HostOperation& operation) {
  kube::CallOptions options;
  options.stop = operation.stop_token();
  if (const auto left = operation.context()->remaining()) {
    options.deadline = std::chrono::steady_clock::now() + *left;
    options.timeout =
        std::clamp(*left, std::chrono::milliseconds(1), std::chrono::milliseconds(60'000));
  }
  return options;
}

// Ends the operation with the server's object.
ObjectApi::Done end_with_object(const OperationPtr& operation) {
  return [operation](Result<std::string> body) {
    if (operation->ended()) return;
    if (!body) return operation->end(body.status());
    const auto object = kube::Object::decode(*body);
    if (!object) return operation->end(object.status());
    operation->end({}, object_handle(*object));
  };
}

ObjectApi::Done end_without_result(const OperationPtr& operation) {
  return [operation](Result<std::string> body) { operation->end(body.status()); };
}

}  // namespace

KubeService::KubeService(const std::shared_ptr<LiveComponent>& component, const ObjectCache& cache,
                         std::shared_ptr<ObjectApi> api, std::function<bool()> may_write)
    : HostService(component),
      cache_(cache),
      api_(std::move(api)),
      may_write_(std::move(may_write)),
      field_manager_(component->identity().plugin_id) {}

const ccm_object* KubeService::cached(void* self, ccm_str resource, ccm_str namespace_name,
                                      ccm_str name) noexcept {
  kube::ObjectPtr found =
      static_cast<KubeService*>(self)->cache_.get(view(resource), view(namespace_name), view(name));
  return object_handle(found.detach());
}

void KubeService::cached_each(void* self, ccm_str resource, ccm_str namespace_name,
                              ccm_visit_object_fn visit, void* owner) noexcept {
  if (visit == nullptr) return;
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  const auto all = service.cache_.list(view(resource), view(namespace_name));
  for (const kube::ObjectPtr& object : all) {
    const bool more = guarded_visit(component, "kube.cached_each",
                                    [&] { return visit(owner, object_handle(object)); });
    if (!more) return;
  }
}

void KubeService::get(void* self, const ccm_ctx* ctx, const ccm_kube_reference* reference,
                      ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component) return;
  auto start = [api = service.api_, read = read_reference(reference)](const OperationPtr& running) {
    if (!read.status.ok()) return running->end(read.status);
    api->get(read.resource, read.namespace_name, read.name, call_options(*running),
             end_with_object(running));
  };
  HostOperation::begin(component, ctx, done, "kube.get", std::move(start));
}

void KubeService::patch(void* self, const ccm_ctx* ctx, const ccm_kube_patch* patch,
                        ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component) return;
  const bool whole = patch != nullptr && CCM_HAS(patch, body);
  const auto type = whole ? patch_type(patch->type) : std::nullopt;
  kube::WriteOptions options;
  options.field_manager = service.field_manager_;
  const uint32_t flags = whole && CCM_HAS(patch, flags) ? patch->flags : 0;
  const bool answer = (flags & CCM_PATCH_ANSWER_NONE) == 0;
  // The API server always answers; no answer is shorter than the metadata.
  options.answer_metadata = !answer || (flags & CCM_PATCH_ANSWER_METADATA) != 0;
  auto start = [api = service.api_, may_write = service.may_write_, type, options, answer,
                read = read_reference(whole ? patch->reference : nullptr),
                body = std::string(whole ? view(patch->body) : std::string_view{})](
                   const OperationPtr& running) mutable {
    if (!read.status.ok()) return running->end(read.status);
    if (!type) return running->end(Status(Code::invalid_argument, "unknown type of patch"));
    if (!may_write()) return running->end(net::WriteGate::refusal());
    options.subresource = read.subresource;
    api->patch(read.resource, read.namespace_name, read.name, *type, std::move(body), options,
               call_options(*running),
               answer ? end_with_object(running) : end_without_result(running));
  };
  HostOperation::begin(component, ctx, done, "kube.patch", std::move(start));
}

void KubeService::create(void* self, const ccm_ctx* ctx, const ccm_kube_reference* reference,
                         ccm_str body, ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component) return;
  kube::WriteOptions options;
  options.field_manager = service.field_manager_;
  auto start = [api = service.api_, may_write = service.may_write_, options,
                read = read_reference(reference),
                text = std::string(view(body))](const OperationPtr& running) mutable {
    if (!read.status.ok()) return running->end(read.status);
    if (!may_write()) return running->end(net::WriteGate::refusal());
    api->create(read.resource, read.namespace_name, std::move(text), options,
                call_options(*running), end_with_object(running));
  };
  HostOperation::begin(component, ctx, done, "kube.create", std::move(start));
}

void KubeService::remove(void* self, const ccm_ctx* ctx, const ccm_kube_delete* request,
                         ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component) return;
  const bool whole = request != nullptr && CCM_HAS(request, reference);
  kube::DeleteOptions options;
  if (whole && CCM_HAS(request, uid)) options.uid = view(request->uid);
  if (whole && CCM_HAS(request, resource_version)) {
    options.resource_version = view(request->resource_version);
  }
  auto start =
      [api = service.api_, may_write = service.may_write_, options,
       read = read_reference(whole ? request->reference : nullptr)](const OperationPtr& running) {
        if (!read.status.ok()) return running->end(read.status);
        if (!may_write()) return running->end(net::WriteGate::refusal());
        api->remove(read.resource, read.namespace_name, read.name, options, call_options(*running),
                    end_without_result(running));
      };
  HostOperation::begin(component, ctx, done, "kube.remove", std::move(start));
}

const void* KubeService::table() const {
  static const ccm_host_kube table{sizeof(table), 0,      &cached, &cached_each,
                                   &get,          &patch, &create, &remove};
  return &table;
}

}  // namespace ccm::plugin
