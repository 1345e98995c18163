// Which members the objects of Neutron have, which of them a client may send, and what with
// (neutron-lib's attribute maps).
#pragma once

#include "openstack_api/world.hpp"

#include <span>
#include <string>
#include <vector>

namespace ccm::openstack_api {

enum class Form { kText, kTextOrNull, kIdOrNull, kBoolean, kNumber, kNumberOrNull, kList, kAny };

struct Attribute {
  const char* name;
  Form form = Form::kAny;
  bool post = true;
  bool put = true;
  const char* default_value = nullptr;  // JSON; nullptr = it has to be sent
  bool for_admins = false;
};

struct Resource {
  const char* member;      // "port"
  const char* collection;  // "ports"
  const char* title;       // "Port": in messages
  const char* not_found;   // the type of that error
  const char* not_found_text;
  std::vector<Attribute> attributes;
};

// In the form of Neutron's errors.
[[noreturn]] void refuse(int status, const std::string& type, const std::string& message);

// The object of a POST with its defaults, or the members of a PUT. Throws Refusal.
json read_object(const Resource& resource, const Call& call, bool is_put);

std::span<const Resource> network_resources();
// By the name of its collection in a path, "security-groups"; nullptr when there is none.
const Resource* resource_at(const std::string& segment);

}  // namespace ccm::openstack_api
