#include "ccm/testing/fake_kube.hpp"

#include "fake_kube_state.hpp"
#include "fake_operation.hpp"

#include <ccm/abi/controller.h>

#include <stdexcept>
#include <utility>

namespace ccm::testing {
namespace {

KubeReference copy(const ccm_kube_reference& given) {
  const ccm_kube_reference raw = known(&given);
  return {std::string(view(raw.resource)), std::string(view(raw.name)),
          std::string(view(raw.namespace_)), std::string(view(raw.subresource))};
}

PatchAnswer answer_of(uint32_t flags) {
  if ((flags & CCM_PATCH_ANSWER_NONE) != 0) return PatchAnswer::none;
  return (flags & CCM_PATCH_ANSWER_METADATA) != 0 ? PatchAnswer::metadata : PatchAnswer::whole;
}

KubeCall call_of(std::string verb, const KubeReference& reference) {
  KubeCall call;
  call.verb = std::move(verb);
  call.resource = reference.resource;
  call.namespace_name = reference.namespace_name;
  call.name = reference.name;
  call.subresource = reference.subresource;
  return call;
}

// Completes with the object, or with the failure; posted.
void post_object(FakeLoop& loop, ccm_completion done, Result<Object> outcome) {
  loop.post([done, outcome = std::move(outcome)] {
    complete(done, outcome.status(), outcome.ok() ? outcome->get() : nullptr);
  });
}

}  // namespace

struct FakeKube::Table {
  static FakeKube& owner(void* self) { return *static_cast<FakeKube*>(self); }

  // False, and the operation ends, when the request or the ctx is refused.
  template <typename Request>
  static bool admitted(void* self, ccm_ctx ctx, const Request* request, uint32_t flags,
                       ccm_completion done) {
    FakeKube& kube = owner(self);
    Status refused = kube.contexts_.check(ctx);
    bool whole = only_known(request, flags);
    if constexpr (requires { request->reference; }) {
      whole = whole && only_known(request->reference);
    }
    if (!whole) refused = unknown_request("kube");
    if (refused.ok()) return true;
    post_failure(kube.loop_, done, std::move(refused));
    return false;
  }

  static int32_t cached(void* self, const ccm_kube_reference* given, const ccm_object** out) {
    if (!only_known(given)) return CCM_CACHE_NOT_WATCHED;
    State& state = *owner(self).state_;
    const KubeReference reference = copy(*given);
    if (const int32_t readable = state.readable(reference.resource); readable != CCM_CACHE_FOUND) {
      return readable;
    }
    const Object object =
        state.cached(reference.resource, reference.namespace_name, reference.name);
    if (!object) return CCM_CACHE_ABSENT;
    state.objects.table()->retain(nullptr, object.get());
    *out = object.get();
    return CCM_CACHE_FOUND;
  }
  static int32_t cached_each(void* self, const ccm_kube_cached_request* given,
                             ccm_visit_object_fn visit, void* visitor) {
    if (!only_known(given)) return CCM_CACHE_NOT_WATCHED;
    const ccm_kube_cached_request request = known(given);
    State& state = *owner(self).state_;
    const std::string resource(view(request.resource));
    if (const int32_t readable = state.readable(resource); readable != CCM_CACHE_FOUND) {
      return readable;
    }
    const std::string_view space = view(request.namespace_);
    for (const Object& object : state.cached_all(resource)) {
      if (!space.empty() && object.namespace_name() != space) continue;
      if (visit(visitor, object.get()) == 0) break;
    }
    return CCM_CACHE_FOUND;
  }
  static void get(void* self, ccm_ctx ctx, const ccm_kube_get_request* request,
                  ccm_completion done) {
    if (!admitted(self, ctx, request, 0, done)) return;
    post_object(owner(self).loop_, done,
                owner(self).state_->handle(call_of("get", copy(*request->reference))));
  }
  static void list(void* self, ccm_ctx ctx, const ccm_kube_list_request* given,
                   ccm_completion done) {
    if (!admitted(self, ctx, given, 0, done)) return;
    const ccm_kube_list_request request = known(given);
    KubeReference reference;
    reference.resource = view(request.resource);
    reference.namespace_name = view(request.namespace_);
    auto listed = owner(self).state_->list(call_of("list", reference));
    owner(self).loop_.post([done, listed = std::move(listed)] {
      if (!listed.ok()) return complete(done, listed.status());
      std::vector<const ccm_object*> handles;
      for (const Object& object : *listed) handles.push_back(object.get());
      ccm_kube_list raw = sized<ccm_kube_list>();
      raw.objects = handles.data();
      raw.count = handles.size();
      complete(done, {}, &raw);
    });
  }
  static void patch(void* self, ccm_ctx ctx, const ccm_kube_patch_request* given,
                    ccm_completion done) {
    constexpr uint32_t kFlags = CCM_PATCH_ANSWER_METADATA | CCM_PATCH_ANSWER_NONE;
    if (!admitted(self, ctx, given, kFlags, done)) return;
    const ccm_kube_patch_request request = known(given);
    KubeCall call = call_of("patch", copy(*request.reference));
    call.patch_type = request.type;
    call.body = view(request.body);
    call.answer = answer_of(request.flags);
    post_object(owner(self).loop_, done, owner(self).state_->handle(std::move(call)));
  }
  static void create(void* self, ccm_ctx ctx, const ccm_kube_create_request* given,
                     ccm_completion done) {
    if (!admitted(self, ctx, given, 0, done)) return;
    const ccm_kube_create_request request = known(given);
    KubeCall call = call_of("create", copy(*request.reference));
    if (call.subresource.empty()) call.name.clear();
    call.body = view(request.body);
    post_object(owner(self).loop_, done, owner(self).state_->handle(std::move(call)));
  }
  static void remove(void* self, ccm_ctx ctx, const ccm_kube_delete_request* given,
                     ccm_completion done) {
    if (!admitted(self, ctx, given, 0, done)) return;
    const ccm_kube_delete_request request = known(given);
    Json preconditions = Json::object();
    if (request.uid.len > 0) preconditions["uid"] = std::string(view(request.uid));
    if (request.resource_version.len > 0) {
      preconditions["resourceVersion"] = std::string(view(request.resource_version));
    }
    KubeCall call = call_of("delete", copy(*request.reference));
    call.subresource.clear();
    call.body = preconditions.dump();
    const Result<Object> outcome = owner(self).state_->handle(std::move(call));
    owner(self).loop_.post([done, status = outcome.status()] { complete(done, status); });
  }
};

FakeKube::FakeKube(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts)
    : loop_(loop), contexts_(contexts), state_(std::make_unique<State>(loop, objects)) {
  table_ = sized<ccm_host_kube>();
  table_.cached = &Table::cached;
  table_.cached_each = &Table::cached_each;
  table_.get = &Table::get;
  table_.list = &Table::list;
  table_.patch = &Table::patch;
  table_.create = &Table::create;
  table_.remove = &Table::remove;
}

FakeKube::~FakeKube() = default;

void FakeKube::put(const std::string& resource, std::string_view json) {
  state_->store(resource, Json::parse(json));
}

void FakeKube::remove(const std::string& resource, const std::string& name,
                      const std::string& namespace_name) {
  state_->erase(resource, object_key(namespace_name, name));
}

std::string FakeKube::stored(const std::string& resource, const std::string& name,
                             const std::string& namespace_name) const {
  const Json* object = state_->find(resource, object_key(namespace_name, name));
  return object != nullptr ? object->dump() : std::string();
}

void FakeKube::set_cache_follows(bool follows) { state_->cache_follows = follows; }
void FakeKube::catch_up() { state_->catch_up(); }
void FakeKube::resync() { state_->resync(); }
void FakeKube::hint(const std::string& resource, const std::string& name,
                    const std::string& namespace_name) {
  const Object object = state_->cached(resource, namespace_name, name);
  if (object) state_->tell(resource, CCM_EVENT_HINTED, object, object);
}
void FakeKube::read(const std::string& resource, const std::vector<std::string>& fields) {
  state_->watch(resource, fields, [](int32_t, const Object&, const Object&) {});
}
void FakeKube::set_synced(const std::string& resource, bool synced) {
  if (synced) {
    state_->not_synced.erase(resource);
  } else {
    state_->not_synced.insert(resource);
  }
}
void FakeKube::answer_create(const std::string& resource, std::string json) {
  state_->created[resource] = std::move(json);
}

void FakeKube::fail_next(std::string verb, std::string resource, Status status, int count) {
  for (int i = 0; i < count; ++i) state_->faults.push_back({verb, resource, status, false, {}});
}
void FakeKube::lose_answer(std::string verb, std::string resource, Status status) {
  state_->faults.push_back({std::move(verb), std::move(resource), std::move(status), true, {}});
}
void FakeKube::before_next(std::string verb, std::string resource, std::function<void()> fn) {
  state_->faults.push_back({std::move(verb), std::move(resource), {}, true, std::move(fn)});
}

void FakeKube::validate_patches(const std::string& resource, Validate validate) {
  state_->validators[resource] = std::move(validate);
}

std::vector<KubeCall> FakeKube::calls() const { return state_->calls; }

std::vector<KubeCall> FakeKube::calls(std::string_view verb) const {
  std::vector<KubeCall> found;
  for (const KubeCall& call : state_->calls) {
    if (call.verb == verb) found.push_back(call);
  }
  return found;
}

void FakeKube::clear_calls() { state_->calls.clear(); }

void FakeKube::watch(const std::string& resource, const std::vector<std::string>& fields,
                     Listener listener) {
  state_->watch(resource, fields, std::move(listener));
}

}  // namespace ccm::testing
