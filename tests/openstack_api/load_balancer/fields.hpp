// Which fields the requests of Octavia have, and what they may hold (octavia/api/v2/types).
#pragma once

#include "openstack_api/http.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::openstack_api {

enum class FieldForm {
  kText,
  kUuid,
  kAddress,
  kBoolean,
  kNumber,
  kWord,
  kCidrs,
  kTags,
  kHeaders,
  kUrl,
  kList,
  kAny
};

struct Field {
  const char* name;
  FieldForm form = FieldForm::kAny;
  bool required = false;
  int64_t least = 0;  // of numbers
  int64_t most = 0;
  std::vector<std::string> words = {};
};

using Fields = std::vector<Field>;

const Fields& load_balancer_fields(bool create);
// In a fully populated request a listener has a pool, and that has members; elsewhere it has IDs.
const Fields& listener_fields(bool create, bool nested);
const Fields& pool_fields(bool create, bool nested);
const Fields& member_fields(bool create);
const Fields& monitor_fields(bool create, bool nested);

// In the form of Octavia's errors.
[[noreturn]] void refuse_octavia(int status, const std::string& message);
[[noreturn]] void refuse_field(const std::string& name, const std::string& value,
                               const std::string& reason);

// The object below `member` of the request. `argument`: the name that Octavia gives it in messages.
json read_fields(const Request& request, const char* member, const std::string& argument,
                 const Fields& fields);
// Throws Refusal when the object has a field that is unknown, missing or wrong.
void check_fields(const json& object, const std::string& argument, const Fields& fields);

}  // namespace ccm::openstack_api
