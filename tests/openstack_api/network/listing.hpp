// What a caller sees of the objects: single ones and lists, with filters, tags, order, pages,
// fields.
#pragma once

#include "openstack_api/network/attributes.hpp"
#include "openstack_api/network/store.hpp"
#include "openstack_api/world.hpp"

#include <cstddef>

namespace ccm::openstack_api {

class NetworkListing {
 public:
  // `page_size`: of a list, at most; 0 = any.
  NetworkListing(const NetworkStore& store, const size_t& page_size)
      : store_(store), page_size_(page_size) {}

  [[nodiscard]] Answer list(const Resource& resource, const Call& call) const;
  // With the members that the call asks for.
  [[nodiscard]] json show(const Resource& resource, const json& record, const Call& call) const;
  [[nodiscard]] json shown(const Resource& resource, const json& record,
                           const Caller& caller) const;
  [[nodiscard]] static bool is_visible(const json& record, const Caller& caller);

 private:
  const NetworkStore& store_;
  const size_t& page_size_;
};

}  // namespace ccm::openstack_api
