// Loads a plugin in a child process, so that one which crashes, hangs or exits takes only the child
// with it. Linux only; the caller must have a single thread, because it forks.
#pragma once

#include "plugin_files/manifest.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace ccm::ctl {

struct TrialResult {
  std::string failure;  // one sentence; empty = it was loaded and the child ended well
  std::vector<std::string> warnings;
};

// `path` is absolute. No component is created. Loading and ending the process may take `limit`.
TrialResult trial_load(const std::filesystem::path& path, std::chrono::milliseconds limit);

}  // namespace ccm::ctl
