#include "openstack_api/world.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace ccm::openstack_api {

std::string World::new_id() {
  const std::string digits = std::to_string(++made);
  return "00000000-0000-4000-9000-" + std::string(12 - digits.size(), '0') + digits;
}

std::string World::new_hex_id() {
  std::string id;
  for (const char c : new_id()) {
    if (c != '-') id += c;
  }
  return id;
}

std::string World::timestamp(const std::string& end) const { return timestamp_of(clock(), end); }

std::string timestamp_of(milliseconds since_1970, const std::string& end) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return text.data() + end;
}

}  // namespace ccm::openstack_api
