// The objects that a provider has made in the cloud, as values. ccm/abi/owned.h says what each
// field means.
#pragma once

#include <ccm/abi/owned.h>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ccm {

struct OwnedObject {
  std::string kind;  // CCM_OWNED_LOAD_BALANCER, ...
  std::string id;
  std::string name;
  std::string cluster;  // as its mark names it
  std::string address;
  std::vector<Label> services;  // "NAMESPACE/NAME" and UID; either may be empty
  std::string node;             // of a route
  std::string destination_cidr;
  bool no_cluster = false;  // its mark names none
  bool shared = false;      // others use it, too
};

// The names of a cluster in marks.
struct ClusterNames {
  std::vector<std::string> names;
  bool given = false;  // by the user: the provider's configuration does not count
  // For a removal: the user named the object itself, so its mark need not name the cluster.
  bool confirmed = false;
};

namespace detail {

// The C form of a cluster's names. OWNERSHIP: borrows from them.
class ClusterNamesC {
 public:
  explicit ClusterNamesC(const ClusterNames& cluster)
      : names_(strings_to_c(cluster.names)),
        flags_(bit_if(cluster.given, CCM_OWNED_CLUSTER_GIVEN) |
               bit_if(cluster.confirmed, CCM_OWNED_OBJECT_CONFIRMED)) {}

  template <typename Request>
  [[nodiscard]] Request request() const {
    auto made = sized<Request>();
    made.flags = flags_;
    made.clusters = names_.data();
    made.cluster_count = names_.size();
    return made;
  }

 private:
  std::vector<ccm_str> names_;
  uint32_t flags_;
};

template <typename Request>
ClusterNames cluster_names_from_c(const Request& request) {
  return {strings_from_c(request.clusters, request.cluster_count),
          (request.flags & CCM_OWNED_CLUSTER_GIVEN) != 0,
          (request.flags & CCM_OWNED_OBJECT_CONFIRMED) != 0};
}

// The C form of objects. OWNERSHIP: borrows from the objects that it was made of.
class OwnedObjectsC {
 public:
  explicit OwnedObjectsC(const std::vector<OwnedObject>& objects) {
    services_.reserve(objects.size());
    raw_.reserve(objects.size());
    for (const OwnedObject& object : objects) {
      services_.push_back(key_values_to_c(object.services));
      ccm_owned_object& raw = raw_.emplace_back(sized<ccm_owned_object>());
      raw.flags =
          bit_if(object.no_cluster, CCM_OWNED_NO_CLUSTER) | bit_if(object.shared, CCM_OWNED_SHARED);
      raw.kind = c_str(object.kind);
      raw.id = c_str(object.id);
      raw.name = c_str(object.name);
      raw.cluster = c_str(object.cluster);
      raw.address = c_str(object.address);
      raw.services = services_.back().data();
      raw.service_count = services_.back().size();
      raw.node = c_str(object.node);
      raw.destination_cidr = c_str(object.destination_cidr);
    }
    pointers_ = pointers_to(raw_);
    list_.objects = pointers_.data();
    list_.count = pointers_.size();
  }
  explicit OwnedObjectsC(const std::vector<OwnedObject>&&) = delete;  // it would be gone
  OwnedObjectsC(const OwnedObjectsC&) = delete;
  OwnedObjectsC& operator=(const OwnedObjectsC&) = delete;

  [[nodiscard]] const ccm_owned_list* list() const { return &list_; }
  // The first object.
  [[nodiscard]] const ccm_owned_object* first() const { return pointers_.front(); }

 private:
  std::vector<std::vector<ccm_key_value>> services_;
  std::vector<ccm_owned_object> raw_;
  std::vector<const ccm_owned_object*> pointers_;
  ccm_owned_list list_ = sized<ccm_owned_list>();
};

inline OwnedObject owned_object_from_c(const ccm_owned_object& given) {
  const ccm_owned_object raw = known(&given);
  OwnedObject object;
  object.kind = view(raw.kind);
  object.id = view(raw.id);
  object.name = view(raw.name);
  object.cluster = view(raw.cluster);
  object.address = view(raw.address);
  object.services = key_values_from_c(raw.services, raw.service_count);
  object.node = view(raw.node);
  object.destination_cidr = view(raw.destination_cidr);
  object.no_cluster = (raw.flags & CCM_OWNED_NO_CLUSTER) != 0;
  object.shared = (raw.flags & CCM_OWNED_SHARED) != 0;
  return object;
}

template <>
inline constexpr uint32_t kKnownFlags<ccm_list_owned_request> = CCM_OWNED_CLUSTER_GIVEN;
template <>
inline constexpr uint32_t kKnownFlags<ccm_remove_owned_request> =
    CCM_OWNED_CLUSTER_GIVEN | CCM_OWNED_OBJECT_CONFIRMED;
template <>
inline constexpr uint32_t kKnownFlags<ccm_owned_object> = CCM_OWNED_NO_CLUSTER | CCM_OWNED_SHARED;
template <>
struct Inner<ccm_remove_owned_request> {
  static bool understood(const ccm_remove_owned_request& request) {
    return request.object != nullptr && detail::understood(*request.object);
  }
};

}  // namespace detail

}  // namespace ccm
