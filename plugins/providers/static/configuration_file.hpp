// --cloud-config as it is in force: read again when the file changes. A file that is wrong, or that
// takes away what this manager began with, leaves the one from before in force. [serial]
#pragma once

#include "configuration.hpp"

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <string>

namespace ccm::static_provider {

class ConfigurationFile {
 public:
  using Shared = std::shared_ptr<const Configuration>;

  explicit ConfigurationFile(Host& host);

  // Waits for a reading that is under way. Failure: the first file is wrong.
  Task<Result<Shared>> in_force();
  // What is in force, without waiting; empty before the first success.
  [[nodiscard]] const Shared& known() const { return known_; }

 private:
  Task<Status> reread();
  Task<Result<Configuration>> read();
  void take(Configuration configuration);

  Host& host_;
  Semaphore one_reader_;
  Shared known_;
  bool stale_ = true;
};

}  // namespace ccm::static_provider
