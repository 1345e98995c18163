// Shared by all services of the fake: the time, made-up IDs, who asks.
#pragma once

#include "openstack_api/http.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

struct World {
  std::function<milliseconds()> clock;  // since the beginning of 1970
  std::string url;                      // of the fake, without a slash at its end
  uint64_t made = 0;

  // A UUID, larger than all before it.
  std::string new_id();
  // A UUID without dashes, as Keystone makes them.
  std::string new_hex_id();
  // "2026-01-01T00:00:00", with `end` after it.
  [[nodiscard]] std::string timestamp(const std::string& end = "Z") const;
};

std::string timestamp_of(milliseconds since_1970, const std::string& end);

// A token's description of its sender.
struct Caller {
  std::string user_id;
  std::string project_id;
  std::set<std::string> roles;

  [[nodiscard]] bool is_admin() const { return roles.contains("admin"); }
  [[nodiscard]] bool may_write() const { return is_admin() || roles.contains("member"); }
  // Whether it sees objects of that project.
  [[nodiscard]] bool sees(const std::string& project) const {
    return is_admin() || project == project_id;
  }
};

// A request on its way to a service.
struct Call {
  const Request& request;
  std::vector<std::string> path;  // after the service's URL, by segments
  Query query;
  std::string path_text;  // the same as written, with the service's URL, without the query
  Caller caller;          // not for Keystone

  [[nodiscard]] const std::string& method() const { return request.method; }
  [[nodiscard]] bool is(std::string_view method, size_t segments) const {
    return request.method == method && path.size() == segments;
  }
};

}  // namespace ccm::openstack_api
