#include "plugin/host_services/kube_service.hpp"

#include "kube/client_status.hpp"
#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"

#include <ccm/abi/kube.h>
#include <ccm/sized.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

using kube::Object;

namespace {

// ccm_value's kinds are Object's kinds.
static_assert(static_cast<int>(Object::Kind::absent) == CCM_VALUE_ABSENT);
static_assert(static_cast<int>(Object::Kind::null) == CCM_VALUE_NULL);
static_assert(static_cast<int>(Object::Kind::boolean) == CCM_VALUE_BOOLEAN);
static_assert(static_cast<int>(Object::Kind::number) == CCM_VALUE_NUMBER);
static_assert(static_cast<int>(Object::Kind::string) == CCM_VALUE_STRING);
static_assert(static_cast<int>(Object::Kind::array) == CCM_VALUE_ARRAY);
static_assert(static_cast<int>(Object::Kind::object) == CCM_VALUE_OBJECT);

ccm_value value_at(const ccm_object* object, Object::Position position) {
  if (position == Object::kAbsent) return {nullptr, 0};
  return {object, position};
}

}  // namespace

void ObjectService::retain_object(void*, const ccm_object* object) noexcept {
  if (object != nullptr) intrusive_ptr_add_ref(object_of(object));
}

void ObjectService::release_object(void*, const ccm_object* object) noexcept {
  if (object != nullptr) intrusive_ptr_release(object_of(object));
}

ccm_value ObjectService::find(void*, const ccm_object* object, ccm_str pointer) noexcept {
  if (object == nullptr) return {nullptr, 0};
  return value_at(object, object_of(object)->find(view(pointer)));
}

ccm_value ObjectService::find_in(void*, ccm_value from, ccm_str pointer) noexcept {
  if (from.object == nullptr) return {nullptr, 0};
  return value_at(from.object, object_of(from.object)->find(from.position, view(pointer)));
}

int32_t ObjectService::kind(void*, ccm_value value) noexcept {
  if (value.object == nullptr) return CCM_VALUE_ABSENT;
  return static_cast<int32_t>(object_of(value.object)->kind(value.position));
}

ccm_bool ObjectService::text(void*, ccm_value value, ccm_str* out) noexcept {
  if (value.object == nullptr || out == nullptr) return 0;
  const Object& object = *object_of(value.object);
  const Object::Kind kind = object.kind(value.position);
  if (kind != Object::Kind::string && kind != Object::Kind::number &&
      kind != Object::Kind::boolean) {
    return 0;
  }
  *out = c_str(object.text(value.position));
  return 1;
}

void ObjectService::each(void* self, ccm_value container, ccm_visit_fn visit,
                         void* owner) noexcept {
  if (container.object == nullptr || visit == nullptr) return;
  const auto component = static_cast<ObjectService*>(self)->component();
  const ComponentIdentity gone;
  const ComponentIdentity& identity = component ? component->identity() : gone;
  object_of(container.object)
      ->each(container.position, [&](std::string_view key, Object::Position position) -> bool {
        return guarded(identity, "object.each", [&] {
          return visit(owner, c_str(key), ccm_value{container.object, position}) != 0;
        });
      });
}

ccm_str ObjectService::json(void*, const ccm_object* object) noexcept {
  return object == nullptr ? ccm_str{nullptr, 0} : c_str(object_of(object)->borrowed_json());
}

ccm_bool ObjectService::equal(void*, ccm_value left, ccm_value right) noexcept {
  if (left.object == nullptr || right.object == nullptr) {
    return left.object == right.object ? 1 : 0;
  }
  const Object& other = *object_of(right.object);
  return object_of(left.object)->equal(left.position, other, right.position) ? 1 : 0;
}

const ccm_object* ObjectService::parse(void*, ccm_str json) noexcept {
  auto decoded = Object::decode(view(json));
  return decoded ? object_handle(decoded->detach()) : nullptr;
}

const ccm_host_object ObjectService::kTable{
    sizeof(kTable), 0,     &retain_object, &release_object, &find,  &find_in,
    &kind,          &text, &each,          &json,           &equal, &parse};

// Reads all objects of a resource from the API server, page by page, for one operation of a
// component. Loop thread.

// The call ends with the ctx: neither a retry nor a wait for the rate limit outlives the
// operation, to overwrite later what the next one wrote.
kube::CallOptions call_options(const HostOperation& operation);

// Ends `running` with a ccm_kube_list, or with the first page's failure.
void list_objects(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
                  kube::Resource resource, std::string namespace_name, kube::ListOptions options);

namespace {

// An owned ccm_kube_reference.
struct Reference {
  kube::Resource resource;
  std::string namespace_name;
  std::string name;
  std::string subresource;
};

// Reads what a request points to; what is `wrong` with either becomes the operation's failure.
Reference read_reference(Status& wrong, const ccm_kube_reference* given) {
  Reference read;
  if (wrong.ok() && given == nullptr) {
    wrong = Status(Code::invalid_argument, "no reference to a Kubernetes object was given");
  }
  if (wrong.ok()) wrong = check_request(given);
  if (!wrong.ok()) return read;
  const ccm_kube_reference reference = known(given);
  auto resource = kube::Resource::parse(view(reference.resource));
  if (!resource) {
    wrong = resource.status();
    return read;
  }
  read.resource = std::move(*resource);
  read.namespace_name = view(reference.namespace_);
  read.name = view(reference.name);
  read.subresource = view(reference.subresource);
  // A namespace that is given says what an unknown resource's scope is.
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

using Verb = ObjectRequest::Verb;

ObjectRequest request_for(const Reference& object, Verb verb, const HostOperation& running) {
  return {.verb = verb,
          .resource = object.resource,
          .namespace_name = object.namespace_name,
          .name = object.name,
          .call = call_options(running)};
}

// ok: the write may be handed to the client.
Status refusal(const HostOperation& running, const std::function<bool()>& may_write) {
  const auto& origin = running.context()->origin();
  if (origin && origin->withheld()) return WithheldWrites::end_of_reconcile();
  return may_write() ? Status() : net::WriteGate::refusal();
}

// Never destroyed. The metadata of an object, without managedFields: they are most of its bytes.
const kube::FieldSet& metadata_fields() {
  static const auto& fields = *new kube::FieldSet(*kube::FieldSet::of(
      {"/metadata/annotations", "/metadata/creationTimestamp",
       "/metadata/deletionGracePeriodSeconds", "/metadata/finalizers", "/metadata/generateName",
       "/metadata/generation", "/metadata/labels", "/metadata/ownerReferences"}));
  return fields;
}

// Ends the operation with the object that the server sent, or with those of its fields.
ObjectApi::Done end_with_object(const HostOperation::Ptr& operation,
                                const kube::FieldSet* fields = nullptr) {
  return [operation, fields](Result<std::string> body) {
    if (operation->ended()) return;
    if (!body) return operation->end(body.status());
    kube::Object::DecodeOptions options;
    options.require_name = false;
    const auto object = fields == nullptr ? kube::Object::decode(*body)
                                          : kube::Object::decode(*body, *fields, options);
    if (!object) return operation->end(object.status());
    operation->end({}, object_handle(*object));
  };
}

ObjectApi::Done end_without_result(const HostOperation::Ptr& operation) {
  return [operation](Result<std::string> body) { operation->end(body.status()); };
}

}  // namespace

KubeService::KubeService(const std::shared_ptr<LiveComponent>& component, const ObjectCache& cache,
                         std::shared_ptr<ObjectApi> api, std::function<bool()> may_write)
    : HostService(component, CCM_HOST_KUBE, &kTable),
      cache_(cache),
      api_(std::move(api)),
      may_write_(std::move(may_write)),
      field_manager_(component->identity().plugin_id) {}

int32_t KubeService::cached(void* self, const ccm_kube_reference* given,
                            const ccm_object** out) noexcept {
  const auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component || out == nullptr || !check_request(given).ok()) return CCM_CACHE_NOT_WATCHED;
  const ccm_kube_reference reference = known(given);
  const std::string_view resource = view(reference.resource);
  // Before the read, so that what comes meanwhile is not missed.
  const CacheState state = service.cache_.state(resource);
  kube::ObjectPtr found =
      service.cache_.get(resource, view(reference.namespace_), view(reference.name));
  if (found) {
    *out = object_handle(found.detach());
    return CCM_CACHE_FOUND;
  }
  switch (state) {
    case CacheState::synced:
      return CCM_CACHE_ABSENT;
    case CacheState::not_synced:
      return CCM_CACHE_NOT_SYNCED;
    case CacheState::not_watched:
      break;
  }
  return CCM_CACHE_NOT_WATCHED;
}

int32_t KubeService::cached_each(void* self, const ccm_kube_cached_request* given,
                                 ccm_visit_object_fn visit, void* owner) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const auto component = service.component();
  if (!component || visit == nullptr || !check_request(given).ok()) return CCM_CACHE_NOT_WATCHED;
  const ccm_kube_cached_request request = known(given);
  const std::string_view resource = view(request.resource);
  const CacheState state = service.cache_.state(resource);
  if (state == CacheState::not_watched) return CCM_CACHE_NOT_WATCHED;
  const auto all = service.cache_.list(resource, view(request.namespace_));
  for (const kube::ObjectPtr& object : all) {
    const bool more = guarded(component->identity(), "kube.cached_each",
                              [&] { return visit(owner, object_handle(object)) != 0; });
    if (!more) break;
  }
  return state == CacheState::synced ? CCM_CACHE_FOUND : CCM_CACHE_NOT_SYNCED;
}

void KubeService::get(void* self, ccm_ctx ctx, const ccm_kube_get_request* given,
                      ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  Status wrong = check_request(given);
  auto start = [api = service.api_, read = read_reference(wrong, known(given).reference)](
                   const HostOperation::Ptr& running) {
    api->send(request_for(read, Verb::get, *running), end_with_object(running));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.get", std::move(wrong),
                       std::move(start));
}

void KubeService::list(void* self, ccm_ctx ctx, const ccm_kube_list_request* given,
                       ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  Status wrong = check_request(given);
  const ccm_kube_list_request request = known(given);
  auto resource = kube::Resource::parse(view(request.resource));
  if (wrong.ok() && !resource) wrong = resource.status();
  kube::ListOptions options;
  options.label_selector = view(request.label_selector);
  options.field_selector = view(request.field_selector);
  auto start = [api = service.api_, options, resource = std::move(resource),
                space = std::string(view(request.namespace_))](const HostOperation::Ptr& running) {
    kube::Resource listed = *resource;
    listed.namespaced = listed.namespaced || !space.empty();
    list_objects(api, running, std::move(listed), space, options);
  };
  HostOperation::begin(service.component(), ctx, done, "kube.list", std::move(wrong),
                       std::move(start));
}

void KubeService::patch(void* self, ccm_ctx ctx, const ccm_kube_patch_request* given,
                        ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  constexpr uint32_t kFlags = CCM_PATCH_ANSWER_METADATA | CCM_PATCH_ANSWER_NONE;
  const ccm_kube_patch_request request = known(given);
  const auto type = patch_type(request.type);
  Status wrong = check_request(given, kFlags);
  if (wrong.ok() && !type) wrong = unknown_request();
  kube::WriteOptions options;
  options.field_manager = service.field_manager_;
  const bool answer = (request.flags & CCM_PATCH_ANSWER_NONE) == 0;
  // The API server always answers; no answer is shorter than the metadata.
  options.answer_metadata = !answer || (request.flags & CCM_PATCH_ANSWER_METADATA) != 0;
  const auto* fields =
      (request.flags & CCM_PATCH_ANSWER_METADATA) != 0 ? &metadata_fields() : nullptr;
  auto start = [api = service.api_, may_write = service.may_write_, type, options, answer, fields,
                read = read_reference(wrong, request.reference),
                body = std::string(view(request.body))](const HostOperation::Ptr& running) mutable {
    if (Status refused = refusal(*running, may_write); !refused.ok()) return running->end(refused);
    ObjectRequest patch = request_for(read, Verb::patch, *running);
    patch.patch_type = *type;
    patch.body = std::move(body);
    patch.write = options;
    patch.write.subresource = read.subresource;
    api->send(std::move(patch),
              answer ? end_with_object(running, fields) : end_without_result(running));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.patch", std::move(wrong),
                       std::move(start));
}

void KubeService::create(void* self, ccm_ctx ctx, const ccm_kube_create_request* given,
                         ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const ccm_kube_create_request request = known(given);
  kube::WriteOptions options;
  options.field_manager = service.field_manager_;
  Status wrong = check_request(given);
  auto start = [api = service.api_, may_write = service.may_write_, options,
                read = read_reference(wrong, request.reference),
                text = std::string(view(request.body))](const HostOperation::Ptr& running) mutable {
    if (Status refused = refusal(*running, may_write); !refused.ok()) return running->end(refused);
    ObjectRequest creation = request_for(read, Verb::create, *running);
    creation.body = std::move(text);
    creation.write = options;
    creation.write.subresource = read.subresource;
    api->send(std::move(creation), end_with_object(running));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.create", std::move(wrong),
                       std::move(start));
}

void KubeService::remove(void* self, ccm_ctx ctx, const ccm_kube_delete_request* given,
                         ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  const ccm_kube_delete_request request = known(given);
  kube::DeleteOptions options;
  options.uid = view(request.uid);
  options.resource_version = view(request.resource_version);
  Status wrong = check_request(given);
  auto start = [api = service.api_, may_write = service.may_write_, options,
                read =
                    read_reference(wrong, request.reference)](const HostOperation::Ptr& running) {
    if (Status refused = refusal(*running, may_write); !refused.ok()) return running->end(refused);
    ObjectRequest deletion = request_for(read, Verb::remove, *running);
    deletion.remove = options;
    api->send(std::move(deletion), end_without_result(running));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.remove", std::move(wrong),
                       std::move(start));
}

const ccm_host_kube KubeService::kTable{sizeof(kTable), 0,      &cached, &cached_each, &get,
                                        &list,          &patch, &create, &remove};

namespace {

constexpr int64_t kPageSize = 500;             // as client-go's pager
constexpr std::size_t kListBytes = 64u << 20;  // of all pages
constexpr std::size_t kListedObject = 8u << 20;

// One listing on its way.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
          kube::Resource resource, std::string namespace_name, kube::ListOptions options)
      : api_(std::move(api)),
        running_(std::move(running)),
        resource_(std::move(resource)),
        namespace_name_(std::move(namespace_name)),
        options_(std::move(options)) {
    options_.limit = kPageSize;
  }

  void next_page() {
    ObjectRequest request{.verb = ObjectRequest::Verb::list,
                          .resource = resource_,
                          .namespace_name = namespace_name_,
                          .page = options_,
                          .call = call_options(*running_)};
    api_->send(std::move(request), [self = shared_from_this()](Result<std::string> body) {
      self->take_page(std::move(body));
    });
  }

 private:
  void take_page(Result<std::string> body) {
    if (running_->ended()) return;
    if (!body) {
      // The version of the first page is gone: once more, all at once.
      if (kube::is_expired(body.status()) && !options_.continue_token.empty()) {
        objects_.clear();
        bytes_ = 0;
        options_.continue_token.clear();
        options_.limit = 0;
        return next_page();
      }
      return running_->end(body.status());
    }
    bytes_ += body->size();
    if (bytes_ > kListBytes) {
      return running_->end(Status(Code::resource_exhausted,
                                  "the list of " + resource_.id() + " is longer than 64 MiB"));
    }
    if (Status decoded = decode(*body); !decoded.ok()) return running_->end(decoded);
    if (!options_.continue_token.empty()) return next_page();
    finish();
  }

  Status decode(const std::string& body) {
    const Status strange(Code::unavailable, ErrorClass::unavailable,
                         "list " + resource_.id() + ": the answer is no Kubernetes list");
    kube::ListDecoder pieces(kListedObject);
    pieces.feed(body);
    std::vector<kube::ObjectPtr> page;
    std::string_view text;
    for (auto piece = pieces.next(text); piece != kube::WatchDecoder::Piece::none;
         piece = pieces.next(text)) {
      if (piece != kube::WatchDecoder::Piece::object) return strange;
      auto object = kube::Object::decode(text);
      if (!object) return object.status();
      page.push_back(std::move(*object));
    }
    if (!pieces.done()) return strange;
    const auto envelope = kube::Object::decode(pieces.envelope());
    if (!envelope || !(*envelope)->text_at("/kind").ends_with("List")) return strange;
    objects_.insert(objects_.end(), page.begin(), page.end());
    resource_version_ = (*envelope)->text_at("/metadata/resourceVersion");
    options_.continue_token = (*envelope)->text_at("/metadata/continue");
    return {};
  }

  void finish() {
    std::vector<const ccm_object*> handles;
    handles.reserve(objects_.size());
    for (const kube::ObjectPtr& object : objects_) handles.push_back(object_handle(object));
    auto list = sized<ccm_kube_list>();
    list.objects = handles.data();
    list.count = handles.size();
    list.resource_version = c_str(resource_version_);
    running_->end({}, &list);
  }

  const std::shared_ptr<ObjectApi> api_;
  const std::shared_ptr<HostOperation> running_;
  const kube::Resource resource_;
  const std::string namespace_name_;
  kube::ListOptions options_;
  std::size_t bytes_ = 0;
  std::vector<kube::ObjectPtr> objects_;
  std::string resource_version_;
};

}  // namespace

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

void list_objects(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
                  kube::Resource resource, std::string namespace_name, kube::ListOptions options) {
  std::make_shared<Listing>(std::move(api), std::move(running), std::move(resource),
                            std::move(namespace_name), std::move(options))
      ->next_page();
}

}  // namespace ccm::plugin
