#include "ccm/testing/fake_kube.hpp"

#include "fake_kube_state.hpp"

#include <stdexcept>
#include <utility>

namespace ccm::testing {
namespace {

KubeReference copy(const ccm_kube_reference& raw) {
  return {std::string(view(raw.resource)), std::string(view(raw.name)),
          std::string(view(raw.namespace_)), std::string(view(raw.subresource))};
}

PatchAnswer answer_of(uint32_t flags) {
  if ((flags & CCM_PATCH_ANSWER_NONE) != 0) return PatchAnswer::none;
  return (flags & CCM_PATCH_ANSWER_METADATA) != 0 ? PatchAnswer::metadata : PatchAnswer::whole;
}

// Completes with the object, or with the failure; posted.
void complete(FakeLoop& loop, ccm_completion done, Result<Object> outcome) {
  loop.post([done, outcome = std::move(outcome)] {
    const Status status = outcome.status();
    const ccm_status raw = status.to_c();
    done.fn(done.owner, done.operation, &raw, outcome.ok() ? outcome->get() : nullptr);
  });
}

}  // namespace

struct FakeKube::Table {
  static FakeKube& owner(void* self) { return *static_cast<FakeKube*>(self); }

  static const ccm_object* cached(void* self, ccm_str resource, ccm_str space, ccm_str name) {
    const Object object = owner(self).state_->cached(
        std::string(view(resource)), std::string(view(space)), std::string(view(name)));
    if (object) owner(self).state_->objects.table()->retain(nullptr, object.get());
    return object.get();
  }
  static void cached_each(void* self, ccm_str resource, ccm_str space, ccm_visit_object_fn visit,
                          void* visitor) {
    for (const Object& object : owner(self).state_->cached_all(std::string(view(resource)))) {
      if (!view(space).empty() && object.namespace_name() != view(space)) continue;
      if (!visit(visitor, object.get())) return;
    }
  }
  static void get(void* self, const ccm_ctx*, const ccm_kube_reference* raw, ccm_completion done) {
    const KubeReference reference = copy(*raw);
    complete(owner(self).loop_, done,
             owner(self).state_->handle({"get",
                                         reference.resource,
                                         reference.namespace_name,
                                         reference.name,
                                         reference.subresource,
                                         0,
                                         {}}));
  }
  static void patch(void* self, const ccm_ctx*, const ccm_kube_patch* raw, ccm_completion done) {
    const KubeReference reference = copy(*raw->reference);
    complete(owner(self).loop_, done,
             owner(self).state_->handle({"patch", reference.resource, reference.namespace_name,
                                         reference.name, reference.subresource, raw->type,
                                         std::string(view(raw->body)), answer_of(raw->flags)}));
  }
  static void create(void* self, const ccm_ctx*, const ccm_kube_reference* raw, ccm_str body,
                     ccm_completion done) {
    const KubeReference reference = copy(*raw);
    complete(owner(self).loop_, done,
             owner(self).state_->handle({"create",
                                         reference.resource,
                                         reference.namespace_name,
                                         {},
                                         reference.subresource,
                                         0,
                                         std::string(view(body))}));
  }
  static void remove(void* self, const ccm_ctx*, const ccm_kube_delete* raw, ccm_completion done) {
    const KubeReference reference = copy(*raw->reference);
    Json preconditions = Json::object();
    if (raw->uid.len > 0) preconditions["uid"] = std::string(view(raw->uid));
    if (raw->resource_version.len > 0) {
      preconditions["resourceVersion"] = std::string(view(raw->resource_version));
    }
    const Result<Object> outcome = owner(self).state_->handle({"delete",
                                                               reference.resource,
                                                               reference.namespace_name,
                                                               reference.name,
                                                               {},
                                                               0,
                                                               preconditions.dump()});
    owner(self).loop_.post([done, status = outcome.status()] {
      const ccm_status raw_status = status.to_c();
      done.fn(done.owner, done.operation, &raw_status, nullptr);
    });
  }
};

FakeKube::FakeKube(FakeLoop& loop, FakeObjects& objects)
    : loop_(loop), state_(std::make_unique<State>(loop, objects)) {
  table_ = {
      sizeof(table_), 0, Table::cached, Table::cached_each, Table::get, Table::patch, Table::create,
      Table::remove};
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
