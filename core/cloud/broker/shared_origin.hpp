// The origin of a broker's call that answers several questions. Loop thread.
#pragma once

#include "plugin/origin.hpp"

#include <memory>

namespace ccm::plugin {

// The origin of a call for no particular object: the second observation of vanished instances.
inline std::shared_ptr<Origin> no_origin() {
  return std::make_shared<Origin>("instances", "", CallPriority::refresh);
}

// A call for several questions has the highest of their priorities.
template <typename Questions>
std::shared_ptr<Origin> common_origin(const Questions& questions) {
  const Origin* best = nullptr;
  for (const auto& question : questions) {
    const Origin* asks = question.query.origin.get();
    if (asks != nullptr && (best == nullptr || asks->priority() < best->priority())) best = asks;
  }
  if (best == nullptr) return no_origin();
  return std::make_shared<Origin>(best->controller(), "", best->priority());
}

// Records the cloud's last answer to the shared call for `asker`, too.
inline void tell_answer(const std::shared_ptr<Origin>& asker,
                        const std::shared_ptr<Origin>& shared) {
  if (asker && shared && asker != shared && shared->answer()) asker->answered(*shared->answer());
}

}  // namespace ccm::plugin
