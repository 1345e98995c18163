// Metrics as text (MET-1). The server's thread.
#pragma once

#include "serving/message.hpp"

#include <prometheus/collectable.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::serving {

class MetricsPage {
 public:
  // The sources must outlive it. Of families of one name the first source's is shown: a plugin that
  // takes a name of the host's must not spoil the text for everybody.
  explicit MetricsPage(std::vector<const prometheus::Collectable*> sources)
      : sources_(std::move(sources)) {}

  // Many who ask at the same moment get the same text, so that a crowd costs as much as one.
  [[nodiscard]] Answer show();

 private:
  std::vector<const prometheus::Collectable*> sources_;
  std::weak_ptr<const std::string> last_;
  std::chrono::steady_clock::time_point made_;
};

}  // namespace ccm::serving
