// ccm::Kube: the Kubernetes API: reads from the shared cache, live reads, writes. Writes go out
// under the component's identity and are refused on a host that does not lead.
// Each operation can be awaited ([serial]) or waited for ([worker], `.wait()`).
#pragma once

#include <ccm/abi/kube.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/object.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ccm {

struct KubeReference {
  std::string resource;  // "v1/nodes", "coordination.k8s.io/v1/leases"
  std::string name;
  std::string namespace_name;  // empty for cluster-scoped resources
  std::string subresource;     // "", "status", "token"

  // OWNERSHIP: the texts borrow from this object.
  [[nodiscard]] ccm_kube_reference to_c() const {
    ccm_kube_reference raw = sized<ccm_kube_reference>();
    raw.resource = c_str(resource);
    raw.namespace_ = c_str(namespace_name);
    raw.name = c_str(name);
    raw.subresource = c_str(subresource);
    return raw;
  }
};

// A choice of the objects of a resource.
struct KubeSelection {
  std::string resource;
  std::string namespace_name;  // empty = of all namespaces
  std::string label_selector;
  std::string field_selector;
};

// The cache's word on an object or a resource.
enum class CacheState : int32_t {
  not_synced = CCM_CACHE_NOT_SYNCED,    // nothing is known yet
  found = CCM_CACHE_FOUND,              // it is there; every object was visited
  absent = CCM_CACHE_ABSENT,            // there is none, as far as the cache has come
  not_watched = CCM_CACHE_NOT_WATCHED,  // neither watched nor among the manifest's "reads"
};

struct Cached {
  CacheState state = CacheState::not_synced;
  Object object;  // when found
};

enum class PatchType : int32_t {
  json = CCM_PATCH_JSON,
  merge = CCM_PATCH_MERGE,
  strategic = CCM_PATCH_STRATEGIC,
  apply = CCM_PATCH_APPLY,
};

// The part of the object that is used after the write: the less, the less is sent and read (a Node
// is large).
enum class PatchAnswer : uint32_t {
  whole = 0,
  metadata = CCM_PATCH_ANSWER_METADATA,
  none = CCM_PATCH_ANSWER_NONE,  // the object is empty
};

struct KubePatch {
  KubeReference reference;
  PatchType type = PatchType::merge;
  std::string body;  // JSON; a precondition is part of it (metadata.resourceVersion)
  PatchAnswer answer = PatchAnswer::whole;
};

struct KubeDelete {
  KubeReference reference;
  std::string uid;               // precondition; empty = none
  std::string resource_version;  // precondition; empty = none
};

class Kube {
  // The common part of every call.
  struct Call {
    Service<ccm_host_kube> host;
    ObjectHost objects;
    Ctx ctx;

    [[nodiscard]] Result<Object> decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      return Object(objects, static_cast<const ccm_object*>(result));
    }
  };

 public:
  struct Get : Call {
    using Output = Result<Object>;
    KubeReference reference;
    Status start(ccm_completion done) const {
      const ccm_kube_reference raw_reference = reference.to_c();
      ccm_kube_get_request raw = sized<ccm_kube_get_request>();
      raw.reference = &raw_reference;
      return detail::begin_call(host, &ccm_host_kube::get, CCM_HOST_KUBE, "get", ctx, raw, done);
    }
  };
  struct List : Call {
    using Output = Result<std::vector<Object>>;
    KubeSelection selection;
    Status start(ccm_completion done) const {
      ccm_kube_list_request raw = sized<ccm_kube_list_request>();
      raw.resource = c_str(selection.resource);
      raw.namespace_ = c_str(selection.namespace_name);
      raw.label_selector = c_str(selection.label_selector);
      raw.field_selector = c_str(selection.field_selector);
      return detail::begin_call(host, &ccm_host_kube::list, CCM_HOST_KUBE, "list", ctx, raw, done);
    }
    [[nodiscard]] Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "a list of objects is missing");
      const ccm_kube_list raw = known(static_cast<const ccm_kube_list*>(result));
      std::vector<Object> list;
      list.reserve(raw.count);
      for (size_t i = 0; i < raw.count; ++i) list.emplace_back(objects, raw.objects[i]);
      return list;
    }
  };
  struct Patch : Call {
    using Output = Result<Object>;
    KubePatch patch;
    Status start(ccm_completion done) const {
      const ccm_kube_reference reference = patch.reference.to_c();
      ccm_kube_patch_request raw = sized<ccm_kube_patch_request>();
      raw.flags = static_cast<uint32_t>(patch.answer);
      raw.reference = &reference;
      raw.body = c_str(patch.body);
      raw.type = static_cast<int32_t>(patch.type);
      return detail::begin_call(host, &ccm_host_kube::patch, CCM_HOST_KUBE, "patch", ctx, raw,
                                done);
    }
  };
  struct Create : Call {
    using Output = Result<Object>;
    KubeReference reference;
    std::string body;
    Status start(ccm_completion done) const {
      const ccm_kube_reference raw_reference = reference.to_c();
      ccm_kube_create_request raw = sized<ccm_kube_create_request>();
      raw.reference = &raw_reference;
      raw.body = c_str(body);
      return detail::begin_call(host, &ccm_host_kube::create, CCM_HOST_KUBE, "create", ctx, raw,
                                done);
    }
  };
  struct Remove : Call {
    using Output = Status;
    KubeDelete request;
    Status start(ccm_completion done) const {
      const ccm_kube_reference reference = request.reference.to_c();
      ccm_kube_delete_request raw = sized<ccm_kube_delete_request>();
      raw.reference = &reference;
      raw.uid = c_str(request.uid);
      raw.resource_version = c_str(request.resource_version);
      return detail::begin_call(host, &ccm_host_kube::remove, CCM_HOST_KUBE, "remove", ctx, raw,
                                done);
    }
    [[nodiscard]] Status decode(Status status, const void* /*result*/) const { return status; }
  };

  Kube() = default;
  Kube(Service<ccm_host_kube> host, ObjectHost objects) : host_(host), objects_(objects) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  // From the cache, and why not: `namespace_name` is empty for cluster-scoped resources.
  // [any-thread]
  [[nodiscard]] Cached look_up(std::string_view resource, std::string_view name,
                               std::string_view namespace_name = {}) const {
    const auto fn = host_.get(&ccm_host_kube::cached);
    if (fn == nullptr) return {CacheState::not_watched, {}};
    ccm_kube_reference reference = sized<ccm_kube_reference>();
    reference.resource = c_str(resource);
    reference.namespace_ = c_str(namespace_name);
    reference.name = c_str(name);
    const ccm_object* found = nullptr;
    const CacheState state = state_of(fn(host_.self(), &reference, &found));
    if (state != CacheState::found) return {state, {}};
    return {state, Object::adopt(objects_, found)};
  }
  // As look_up(), for who only wants the object: empty whatever the reason. [any-thread]
  [[nodiscard]] Object cached(std::string_view resource, std::string_view name,
                              std::string_view namespace_name = {}) const {
    return look_up(resource, name, namespace_name).object;
  }

  // Calls `visit(object)` for every cached object of a resource; a visitor that returns false
  // stops. It may call the host only to read objects, and must not throw. Another answer than
  // found: nothing was visited. [any-thread]
  template <typename Visit>
  CacheState cached_each(std::string_view resource, std::string_view namespace_name,
                         Visit&& visit) const {
    const auto fn = host_.get(&ccm_host_kube::cached_each);
    if (fn == nullptr) return CacheState::not_watched;
    struct State {
      ObjectHost objects;
      std::remove_reference_t<Visit>& visit;
    } state{objects_, visit};
    ccm_kube_cached_request request = sized<ccm_kube_cached_request>();
    request.resource = c_str(resource);
    request.namespace_ = c_str(namespace_name);
    return state_of(fn(
        host_.self(), &request,
        [](void* owner, const ccm_object* raw) -> ccm_bool {
          auto& given = *static_cast<State*>(owner);
          const Object object(given.objects, raw);
          if constexpr (std::is_void_v<decltype(given.visit(object))>) {
            given.visit(object);
            return 1;
          } else {
            return given.visit(object) ? 1 : 0;
          }
        },
        &state));
  }

  // A fresh, whole object from the server.
  [[nodiscard]] Operation<Get> get(Ctx ctx, KubeReference reference) const {
    return Operation<Get>(Get{call(std::move(ctx)), std::move(reference)});
  }
  // All of them, from the server.
  [[nodiscard]] Operation<List> list(Ctx ctx, KubeSelection selection) const {
    return Operation<List>(List{call(std::move(ctx)), std::move(selection)});
  }
  // The object after the write, as far as `patch.answer` asks for it. After an `unavailable` the
  // write may have happened: read again.
  [[nodiscard]] Operation<Patch> patch(Ctx ctx, KubePatch patch) const {
    return Operation<Patch>(Patch{call(std::move(ctx)), std::move(patch)});
  }
  // `body` is the whole object as JSON; `reference.name` counts with a subresource only, such as
  // "token" of v1/serviceaccounts. The server's answer.
  [[nodiscard]] Operation<Create> create(Ctx ctx, KubeReference reference, std::string body) const {
    return Operation<Create>(Create{call(std::move(ctx)), std::move(reference), std::move(body)});
  }
  [[nodiscard]] Operation<Remove> remove(Ctx ctx, KubeDelete request) const {
    return Operation<Remove>(Remove{call(std::move(ctx)), std::move(request)});
  }

 private:
  [[nodiscard]] Call call(Ctx ctx) const { return Call{host_, objects_, std::move(ctx)}; }
  static CacheState state_of(int32_t answer) {
    return answer >= CCM_CACHE_FOUND && answer <= CCM_CACHE_NOT_WATCHED
               ? static_cast<CacheState>(answer)
               : CacheState::not_synced;
  }

  Service<ccm_host_kube> host_;
  ObjectHost objects_;
};

}  // namespace ccm
