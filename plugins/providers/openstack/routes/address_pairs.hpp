// Allowed address pairs of Nodes' ports: with port security Neutron drops packets from and to other
// addresses than a port's own, so the Pod range of a Node has to be one of its pairs (OS-186..189).
// [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct AddressPair {
  std::string ip_address;  // or a range
  std::string mac_address;
};

struct PairPort {
  std::string id;
  std::string server;
  std::vector<std::string> addresses;  // its own, in normal form
  std::vector<AddressPair> pairs;
  bool secured = true;    // port security is on
  int64_t revision = -1;  // -1 = the cloud counts none

  // The ranges of the pairs, in normal form.
  [[nodiscard]] std::set<std::string> ranges() const;
};

struct PairPortPage {
  std::vector<PairPort> ports;
  bool more = false;
};

// Failure: bad_answer().
Result<PairPortPage> parse_pair_ports(std::string_view json_text);

// A change of a port's pairs.
struct PairChange {
  std::set<std::string> add;  // ranges
  std::set<std::string> remove;

  // The pairs after it; nothing to write when they are as before.
  [[nodiscard]] std::vector<AddressPair> of(const PairPort& port) const;
};

class AddressPairs {
 public:
  explicit AddressPairs(Api& api) : api_(api) {}

  // The ports on these networks that have one of these addresses, or belong to one of these
  // servers, by address.
  Task<Result<std::map<std::string, PairPort>>> find(Ctx ctx, std::vector<std::string> networks,
                                                     std::vector<std::string> addresses,
                                                     std::vector<std::string> servers);
  // Writes nothing when nothing changes, or the port is without port security. `if_match`: only for
  // the revision that was read; then it reads and tries once more.
  Task<Status> change(Ctx ctx, PairPort port, PairChange change, bool if_match);

 private:
  // `filter` is one for each text.
  Task<Status> find_by(Ctx ctx, std::string filter, std::vector<std::string> texts,
                       const std::vector<std::string>& networks,
                       std::map<std::string, PairPort>& found);
  Task<Result<PairPort>> read(Ctx ctx, const std::string& id);

  Api& api_;
};

}  // namespace ccm::openstack
