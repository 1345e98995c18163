#include "election/leader_elector.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ccm::election {

using std::chrono::milliseconds;

Result<std::string> new_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') {
    return Status(Code::failed_precondition,
                  "this machine has no host name, which the identity of the Lease needs; set one");
  }
  const boost::uuids::uuid random = boost::uuids::random_generator()();
  return std::string(host.data()) + "_" + boost::uuids::to_string(random);
}

milliseconds request_timeout(const ElectionOptions& options) {
  return std::max(milliseconds(1'000), options.renew_deadline / 2);
}

}  // namespace ccm::election
