// The cloud-controller-manager processes of one scenario.
#pragma once

#include "support/process.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::e2e {

class Managers {
 public:
  // arguments: of every process; logs go to folder/NAME.log, over restarts of one name.
  Managers(std::vector<std::string> arguments, std::filesystem::path folder);

  // `flags` stand at the end.
  void start(const std::string& name, const std::vector<std::string>& flags = {});
  // SIGTERM and wait for the end. Throws if it does not come.
  void stop(const std::string& name);
  // SIGKILL.
  void kill(const std::string& name);
  // SIGSTOP and SIGCONT: a process that hangs.
  void pause(const std::string& name);
  void resume(const std::string& name);

  support::Process& process(const std::string& name);
  std::string log(const std::string& name) const;
  // Details for a user after a failure: names, states, and the ends of the logs.
  std::string report();

 private:
  std::filesystem::path log_file(const std::string& name) const;

  std::vector<std::string> arguments_;
  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<support::Process>> processes_;
};

}  // namespace ccm::e2e
