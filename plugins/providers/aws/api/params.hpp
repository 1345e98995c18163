// The parameters of one call, as Amazon's API reference names them on the wire. Which form a list
// takes there ("Filter.1.Value.1" or "Tags.member.1.Key") is known to form_body() alone.
#pragma once

#include "api_name.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::aws {

// The two forms of AWS's APIs of XML (AWS-2): EC2 writes "Name.1", the query form "Name.member.1".
enum class ListForm { flat, member };

// How many values EC2 takes in one filter.
inline constexpr size_t kFilterValues = 200;

// A structure of the API. A structure in another one, or in a list, is a Params, too.
// Order is kept. Building takes time in proportion to what is in it.
class Params {
 public:
  // A scalar. Names may have parts: set("Placement.Tenancy", "default").
  Params& set(ApiName name, std::string_view value);
  Params& set(ApiName name, const char* value);
  Params& set(ApiName name, int64_t value);
  Params& set(ApiName name, int value) { return set(name, static_cast<int64_t>(value)); }
  Params& set(ApiName name, bool value);
  // All of another structure, as the member `name` of this one.
  Params& set(ApiName name, const Params& structure);

  // One more element of the list `name`.
  Params& add(ApiName name, std::string_view value);
  Params& add(ApiName name, const Params& structure);
  // Several.
  Params& add_all(ApiName name, const std::vector<std::string>& values);

  // EC2's filter: Filter.1.Name, Filter.1.Value.1, ... All filters must hold, of the values one.
  Params& filter(ApiName name, const std::vector<std::string>& values);
  Params& filter(ApiName name, std::string_view value);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // The value of a scalar, which may be changed; nullptr when it was not set.
  [[nodiscard]] std::string* find(ApiName name);

  // "Filter[1].Name" and its value, in the order of setting; elements count from 1.
  struct Entry {
    std::string path;
    std::string value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::string element(ApiName name);

  std::vector<Entry> entries_;
  std::vector<std::pair<std::string, size_t>> lists_;  // name and length
};

// The body of the POST: Action, Version and the parameters, percent-encoded.
std::string form_body(std::string_view action, std::string_view version, const Params& params,
                      ListForm form);

}  // namespace ccm::aws
