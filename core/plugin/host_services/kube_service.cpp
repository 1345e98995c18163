#include "plugin/host_services/kube_service.hpp"

#include "kube/client_status.hpp"
#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"
#include "net/write_gate.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"
#include "plugin/waiting.hpp"

#include <ccm/sized.hpp>

#include <algorithm>
#include <optional>
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

namespace {

// The call ends with the ctx: neither a retry nor a wait for the rate limit outlives the
// operation, to overwrite later what the next one wrote.
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

using Verb = ObjectRequest::Verb;

// A request for what `given` points to; what is `wrong` with either becomes the operation's
// failure.
ObjectRequest request_for(Verb verb, Status& wrong, const ccm_kube_reference* given) {
  ObjectRequest request{.verb = verb};
  if (wrong.ok() && given == nullptr) {
    wrong = Status(Code::invalid_argument, "no reference to a Kubernetes object was given");
  }
  if (wrong.ok()) wrong = check_request(given);
  if (!wrong.ok()) return request;
  const ccm_kube_reference reference = known(given);
  auto resource = kube::Resource::parse(view(reference.resource));
  if (!resource) {
    wrong = resource.status();
    return request;
  }
  request.resource = std::move(*resource);
  request.namespace_name = view(reference.namespace_);
  request.name = view(reference.name);
  request.write.subresource = view(reference.subresource);
  // A namespace that is given says what an unknown resource's scope is.
  request.resource.namespaced = !request.namespace_name.empty();
  return request;
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
  for (const kube::ObjectPtr& object : service.cache_.list(resource, view(request.namespace_))) {
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
  ObjectRequest get = request_for(Verb::get, wrong, known(given).reference);
  auto start = [api = service.api_, get = std::move(get)](const HostOperation::Ptr& running) {
    ObjectRequest request = get;
    request.call = call_options(*running);
    api->send(std::move(request), end_with_object(running));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.get", std::move(wrong),
                       std::move(start));
}

namespace {

constexpr int64_t kPageSize = 500;             // as client-go's pager
constexpr std::size_t kListBytes = 64u << 20;  // in all pages
constexpr std::size_t kListedObject = 8u << 20;

// The pages of a listing so far.
struct Pages {
  std::vector<kube::ObjectPtr> objects;
  std::string resource_version;
  std::string continue_token;
  std::size_t bytes = 0;
};

Status add_page(Pages& pages, const kube::Resource& resource, const std::string& body) {
  const Status strange(Code::unavailable, ErrorClass::unavailable,
                       "list " + resource.id() + ": the answer is no Kubernetes list");
  pages.bytes += body.size();
  if (pages.bytes > kListBytes) {
    return Status(Code::resource_exhausted,
                  "the list of " + resource.id() + " is longer than 64 MiB");
  }
  kube::ListDecoder pieces(kListedObject);
  pieces.feed(body);
  std::string_view text;
  for (auto piece = pieces.next(text); piece != kube::WatchDecoder::Piece::none;
       piece = pieces.next(text)) {
    if (piece != kube::WatchDecoder::Piece::object) return strange;
    auto object = kube::Object::decode(text);
    if (!object) return object.status();
    pages.objects.push_back(std::move(*object));
  }
  if (!pieces.done()) return strange;
  const auto envelope = kube::Object::decode(pieces.envelope());
  if (!envelope || !(*envelope)->text_at("/kind").ends_with("List")) return strange;
  pages.resource_version = (*envelope)->text_at("/metadata/resourceVersion");
  pages.continue_token = (*envelope)->text_at("/metadata/continue");
  return {};
}

void end_with_list(HostOperation& running, const Pages& pages) {
  std::vector<const ccm_object*> handles;
  handles.reserve(pages.objects.size());
  for (const kube::ObjectPtr& object : pages.objects) handles.push_back(object_handle(object));
  auto list = sized<ccm_kube_list>();
  list.objects = handles.data();
  list.count = handles.size();
  list.resource_version = c_str(pages.resource_version);
  running.end({}, &list);
}

// Reads all objects of a resource from the API server, page by page, and ends the operation with
// them, or with the first failure.
Task<void> list_all(std::shared_ptr<ObjectApi> api, HostOperation::Ptr running,
                    ObjectRequest request) {
  request.page.limit = kPageSize;
  Pages pages;
  for (;;) {
    request.page.continue_token = pages.continue_token;
    request.call = call_options(*running);
    const Result<std::string> body = co_await answer_of(*api, request);
    if (running->ended()) co_return;
    const bool expired = !pages.continue_token.empty() && kube::is_expired(body.status());
    if (!body && !expired) co_return running->end(body.status());
    if (expired) {  // the version of the first page is gone: once more, all at once
      pages = {};
      request.page.limit = 0;
    } else if (Status status = add_page(pages, request.resource, *body); !status.ok()) {
      co_return running->end(status);
    }
    if (!expired && pages.continue_token.empty()) break;
  }
  end_with_list(*running, pages);
}

}  // namespace

void KubeService::list(void* self, ccm_ctx ctx, const ccm_kube_list_request* given,
                       ccm_completion done) noexcept {
  auto& service = *static_cast<KubeService*>(self);
  Status wrong = check_request(given);
  const ccm_kube_list_request request = known(given);
  auto resource = kube::Resource::parse(view(request.resource));
  if (wrong.ok() && !resource) wrong = resource.status();
  ObjectRequest list{.verb = Verb::list};
  if (resource) list.resource = *std::move(resource);
  list.namespace_name = view(request.namespace_);
  list.resource.namespaced = list.resource.namespaced || !list.namespace_name.empty();
  list.page.label_selector = view(request.label_selector);
  list.page.field_selector = view(request.field_selector);
  // The service stays for as long as the process does, since stray threads may call it.
  auto start = [&service, list = std::move(list)](const HostOperation::Ptr& running) {
    service.listings_.start(list_all(service.api_, running, list),
                            ending_on_fault(running->component().runtime().timers));
  };
  HostOperation::begin(service.component(), ctx, done, "kube.list", std::move(wrong),
                       std::move(start));
}

void KubeService::write(ccm_ctx ctx, ccm_completion done, std::string_view name, Status wrong,
                        ObjectRequest request, Ending ending) const {
  request.write.field_manager = field_manager_;
  auto start = [api = api_, may_write = may_write_, request = std::move(request),
                ending = std::move(ending)](const HostOperation::Ptr& running) mutable {
    if (Status refused = refusal(*running, may_write); !refused.ok()) return running->end(refused);
    request.call = call_options(*running);
    api->send(std::move(request), ending(running));
  };
  HostOperation::begin(component(), ctx, done, name, std::move(wrong), std::move(start));
}

void KubeService::patch(void* self, ccm_ctx ctx, const ccm_kube_patch_request* given,
                        ccm_completion done) noexcept {
  constexpr uint32_t kFlags = CCM_PATCH_ANSWER_METADATA | CCM_PATCH_ANSWER_NONE;
  const ccm_kube_patch_request request = known(given);
  const auto type = patch_type(request.type);
  Status wrong = check_request(given, kFlags);
  if (wrong.ok() && !type) wrong = unknown_request();
  ObjectRequest patch = request_for(Verb::patch, wrong, request.reference);
  patch.patch_type = type.value_or(kube::PatchType{});
  patch.body = view(request.body);
  const bool metadata = (request.flags & CCM_PATCH_ANSWER_METADATA) != 0;
  // The API server always answers; no answer is shorter than the metadata.
  const bool answer = (request.flags & CCM_PATCH_ANSWER_NONE) == 0;
  patch.write.answer_metadata = !answer || metadata;
  auto ending = [answer, metadata](const HostOperation::Ptr& running) {
    if (!answer) return end_without_result(running);
    return end_with_object(running, metadata ? &metadata_fields() : nullptr);
  };
  static_cast<KubeService*>(self)->write(ctx, done, "kube.patch", std::move(wrong),
                                         std::move(patch), ending);
}

void KubeService::create(void* self, ccm_ctx ctx, const ccm_kube_create_request* given,
                         ccm_completion done) noexcept {
  const ccm_kube_create_request request = known(given);
  Status wrong = check_request(given);
  ObjectRequest creation = request_for(Verb::create, wrong, request.reference);
  creation.body = view(request.body);
  auto ending = [](const HostOperation::Ptr& running) { return end_with_object(running); };
  static_cast<KubeService*>(self)->write(ctx, done, "kube.create", std::move(wrong),
                                         std::move(creation), ending);
}

void KubeService::remove(void* self, ccm_ctx ctx, const ccm_kube_delete_request* given,
                         ccm_completion done) noexcept {
  const ccm_kube_delete_request request = known(given);
  Status wrong = check_request(given);
  ObjectRequest deletion = request_for(Verb::remove, wrong, request.reference);
  deletion.remove.uid = view(request.uid);
  deletion.remove.resource_version = view(request.resource_version);
  static_cast<KubeService*>(self)->write(ctx, done, "kube.remove", std::move(wrong),
                                         std::move(deletion), end_without_result);
}

const ccm_host_kube KubeService::kTable{sizeof(kTable), 0,      &cached, &cached_each, &get,
                                        &list,          &patch, &create, &remove};

}  // namespace ccm::plugin
