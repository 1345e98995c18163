// On whose behalf one call of the broker is made that answers several questions. Loop thread.
#pragma once

#include "plugin/origin.hpp"

#include <memory>

namespace ccm::plugin {

// Of a call that is for no object in particular: the second look at vanished machines.
inline std::shared_ptr<Origin> no_origin() {
  return std::make_shared<Origin>("machines", "", CallPriority::refresh);
}

// A call for several questions is as important as the most important of them.
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

// The cloud's last answer to the shared call was one to `asker`, too.
inline void tell_answer(const std::shared_ptr<Origin>& asker,
                        const std::shared_ptr<Origin>& shared) {
  if (asker && shared && asker != shared && shared->answer()) asker->answered(*shared->answer());
}

}  // namespace ccm::plugin
