// The running host.
#pragma once

#include "app/flags/options_command_line.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "app/stop_signals.hpp"
#include "kube/config.hpp"
#include "plugin/recording/http_recording.hpp"

#include <memory>

namespace ccm::app {

// Runs the host on the calling thread, which becomes the loop's, until a signal, a lost Lease or a
// fault ends it. Returns the exit code (ending.hpp). `recording` gets the provider's HTTP
// exchanges; null: none is recorded. Once.
int run_manager(const CommandLine& command_line, kube::ClientConfig config,
                LoadedSelection selection, MigrationPlan migration, SignalGuard& signals,
                std::shared_ptr<plugin::HttpRecording> recording);

}  // namespace ccm::app
