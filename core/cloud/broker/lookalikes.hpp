// Which instance somebody may have meant, and which instances are one. For messages and answers
// that a provider's spelling would confuse.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/known_instances.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ccm::cloud {

// The instance that somebody may have meant who registered a Node under a name that no instance
// has: it has the Node's address, or a name that differs in its domain or in characters that a host
// name cannot have. For messages only. Loop thread.
class Lookalikes {
 public:
  // Describes an instance of `listing` (may be null) for a Node without a provider ID, to end a
  // sentence: `instance "a" (cloud://1) has its address 10.0.0.4`. Empty: there is none, or there
  // are several.
  std::string find(const InstanceSnapshot::Ptr& listing, const InstanceQuery& query);
  // There is a newer listing.
  void forget();

 private:
  using Index = std::unordered_map<std::string, std::size_t>;
  void read(const InstanceSnapshot::Ptr& listing);
  [[nodiscard]] std::string text(std::size_t instance, std::string_view what) const;

  InstanceSnapshot::Ptr listing_;  // that the indices are of
  Index by_address_;               // kNone: several have it
  Index by_name_;                  // in the form of plain()
};

// Whether two answers are about one instance under two spellings of its provider ID. A provider has
// to answer each with the instance's own one; one that repeats what it was asked would give
// two Nodes an instance each that is one. The cloud's words have to agree on all the rest: the
// name, an address if there is any, and the last part of the IDs but for case, blanks and
// percent-encoding. So no new instance is mistaken for another one. Any thread.
bool is_same_instance(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index);

}  // namespace ccm::cloud
