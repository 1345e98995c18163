// Whether two answers are about one instance under two spellings of its provider ID. A provider has
// to answer each with the instance's own one; one that repeats what it was asked would give
// two Nodes an instance each that is one. Any thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"

#include <cstddef>

namespace ccm::plugin {

// The cloud's words have to agree on all the rest: the name, an address if there is any, and the
// last part of the IDs but for case, blanks and percent-encoding. So no new instance is mistaken
// for another one.
bool is_same_instance(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index);

}  // namespace ccm::plugin
