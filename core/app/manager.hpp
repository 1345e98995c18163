// The running host: connects client, informers, plugins, election and endpoint, and stops them in
// the right order.
#pragma once

#include "app/flags/options_command_line.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "app/stop_signals.hpp"
#include "kube/config.hpp"
#include "plugin/recording/http_recording.hpp"

#include <memory>

namespace ccm::app {

class Manager {
 public:
  // `recording` gets the provider's HTTP exchanges; null: none is recorded. The references must
  // outlive this object. Contacts no server before run().
  Manager(const CommandLine& command_line, kube::ClientConfig config, LoadedSelection selection,
          MigrationPlan migration, SignalGuard& signals,
          std::shared_ptr<plugin::HttpRecording> recording);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Runs on the calling thread, which becomes the loop's, until a signal, a lost Lease or a fault
  // ends it. Returns the exit code (ending.hpp). Once.
  int run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::app
