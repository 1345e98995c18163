#include "election/leader_elector.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

namespace ccm::election {

using std::chrono::milliseconds;

Result<std::string> new_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') {
    return Status(Code::failed_precondition,
                  "this machine has no host name, which the identity of the Lease needs; set one");
  }
  std::random_device random;
  std::array<uint32_t, 4> words{};
  for (auto& word : words) word = random();
  words[1] = (words[1] & 0xffff0fffu) | 0x4000u;      // version 4
  words[2] = (words[2] & 0x3fffffffu) | 0x80000000u;  // RFC 9562 variant
  std::array<char, 40> uuid{};
  std::snprintf(uuid.data(), uuid.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16,
                words[1] & 0xffff, words[2] >> 16, words[2] & 0xffff, words[3]);
  return std::string(host.data()) + "_" + uuid.data();
}

milliseconds request_timeout(const ElectionOptions& options) {
  return std::max(milliseconds(1'000), options.renew_deadline / 2);
}

}  // namespace ccm::election
