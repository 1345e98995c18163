// ccm::Kube: the Kubernetes API: reads from the shared cache, live reads, writes. Writes go out
// under the component's identity and are refused on a host that does not lead.
// Each operation can be awaited ([serial]) or waited for ([worker], `.wait()`).
#pragma once

#include <ccm/abi/kube.h>
#include <ccm/ctx.hpp>
#include <ccm/object.hpp>
#include <ccm/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ccm {

struct KubeReference {
  std::string resource;  // "v1/nodes", "coordination.k8s.io/v1/leases"
  std::string name;
  std::string namespace_name;  // empty for cluster-scoped resources
  std::string subresource;     // "" or "status"

  // OWNERSHIP: the texts borrow from this object.
  [[nodiscard]] ccm_kube_reference to_c() const {
    return {sizeof(ccm_kube_reference), 0,           c_str(resource),
            c_str(namespace_name),      c_str(name), c_str(subresource)};
  }
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
      const auto fn = host.get(&ccm_host_kube::get);
      if (fn == nullptr) return detail::missing(CCM_HOST_KUBE, "get");
      const ccm_kube_reference raw = reference.to_c();
      fn(host.self(), ctx.get(), &raw, done);
      return {};
    }
  };
  struct Patch : Call {
    using Output = Result<Object>;
    KubePatch patch;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_kube::patch);
      if (fn == nullptr) return detail::missing(CCM_HOST_KUBE, "patch");
      const ccm_kube_reference reference = patch.reference.to_c();
      const ccm_kube_patch raw{sizeof(raw),       static_cast<int32_t>(patch.type),    &reference,
                               c_str(patch.body), static_cast<uint32_t>(patch.answer), 0};
      fn(host.self(), ctx.get(), &raw, done);
      return {};
    }
  };
  struct Create : Call {
    using Output = Result<Object>;
    KubeReference reference;
    std::string body;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_kube::create);
      if (fn == nullptr) return detail::missing(CCM_HOST_KUBE, "create");
      const ccm_kube_reference raw = reference.to_c();
      fn(host.self(), ctx.get(), &raw, c_str(body), done);
      return {};
    }
  };
  struct Remove : Call {
    using Output = Status;
    KubeDelete request;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_kube::remove);
      if (fn == nullptr) return detail::missing(CCM_HOST_KUBE, "remove");
      const ccm_kube_reference reference = request.reference.to_c();
      const ccm_kube_delete raw{sizeof(raw), 0, &reference, c_str(request.uid),
                                c_str(request.resource_version)};
      fn(host.self(), ctx.get(), &raw, done);
      return {};
    }
    [[nodiscard]] Status decode(Status status, const void* /*result*/) const { return status; }
  };

  Kube() = default;
  Kube(Service<ccm_host_kube> host, ObjectHost objects) : host_(host), objects_(objects) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  // From the cache of a resource that some component watches; empty when it is not there.
  // `namespace_name` is empty for cluster-scoped resources. [any-thread]
  [[nodiscard]] Object cached(std::string_view resource, std::string_view name,
                              std::string_view namespace_name = {}) const {
    const auto fn = host_.get(&ccm_host_kube::cached);
    if (fn == nullptr) return {};
    return Object::adopt(objects_,
                         fn(host_.self(), c_str(resource), c_str(namespace_name), c_str(name)));
  }

  // Calls `visit(object)` for every cached object of a resource; a visitor that returns false
  // stops. It must not call the host but to read objects, and must not throw. [any-thread]
  template <typename Visit>
  void cached_each(std::string_view resource, std::string_view namespace_name,
                   Visit&& visit) const {
    const auto fn = host_.get(&ccm_host_kube::cached_each);
    if (fn == nullptr) return;
    struct State {
      ObjectHost objects;
      std::remove_reference_t<Visit>& visit;
    } state{objects_, visit};
    fn(
        host_.self(), c_str(resource), c_str(namespace_name),
        [](void* owner, const ccm_object* raw) -> bool {
          auto& passed = *static_cast<State*>(owner);
          const Object object(passed.objects, raw);
          if constexpr (std::is_void_v<decltype(passed.visit(object))>) {
            passed.visit(object);
            return true;
          } else {
            return passed.visit(object);
          }
        },
        &state);
  }

  // A fresh, whole object from the server.
  [[nodiscard]] Operation<Get> get(Ctx ctx, KubeReference reference) const {
    return Operation<Get>(Get{call(std::move(ctx)), std::move(reference)});
  }
  // The object after the write, as far as `patch.answer` asks for it. After an `unavailable` the
  // write may have happened: read again.
  [[nodiscard]] Operation<Patch> patch(Ctx ctx, KubePatch patch) const {
    return Operation<Patch>(Patch{call(std::move(ctx)), std::move(patch)});
  }
  // `body` is the whole object as JSON; `reference.name` is ignored.
  [[nodiscard]] Operation<Create> create(Ctx ctx, KubeReference reference, std::string body) const {
    return Operation<Create>(Create{call(std::move(ctx)), std::move(reference), std::move(body)});
  }
  [[nodiscard]] Operation<Remove> remove(Ctx ctx, KubeDelete request) const {
    return Operation<Remove>(Remove{call(std::move(ctx)), std::move(request)});
  }

 private:
  [[nodiscard]] Call call(Ctx ctx) const { return Call{host_, objects_, std::move(ctx)}; }

  Service<ccm_host_kube> host_;
  ObjectHost objects_;
};

}  // namespace ccm
