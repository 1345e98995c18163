#include "trial_load.hpp"

#include "child.hpp"
#include "conformance/trial.hpp"
#include "plugin_files/loader.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <sstream>

namespace ccm::ctl {
namespace {

// The child's report is lines, each with a letter first: 'w' a warning, 'f' why it was refused, 'l'
// it was loaded. Output after 'l' comes from the end of the process.
constexpr char kWarning = 'w';
constexpr char kFailure = 'f';
constexpr char kLoaded = 'l';

void report(int fd, char kind, const std::string& text) { write_report(fd, kind + text + "\n"); }

void load_in_child(const std::filesystem::path& path, int fd) {
  const long threads = conformance::count_threads();
  plugin_files::Loader loader;
  const auto loaded = loader.load(path);
  if (!loaded) return report(fd, kFailure, loaded.status().message());
  const long started = conformance::count_threads() - threads;
  // Go's runtime starts its threads when it is loaded; nobody can change that.
  const bool go = loaded->manifest.language == "go";
  if (started > 0 && !go) {
    report(fd, kWarning,
           fmt::format("plugin {}: started {} threads when it was loaded; start them in create",
                       path.string(), started));
  }
  report(fd, kLoaded, "");
}

// Splits the child's report; true when it says that the plugin was loaded.
bool read_lines(const std::string& text, TrialResult& result) {
  bool loaded = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] == kWarning) result.warnings.push_back(line.substr(1));
    if (line[0] == kFailure) result.failure = line.substr(1);
    if (line[0] == kLoaded) loaded = true;
  }
  return loaded;
}

std::string judge(int status, bool loaded, bool in_time, std::chrono::milliseconds limit) {
  const std::string when = loaded ? "when the process ended" : "while it was loaded";
  if (!in_time) {
    return fmt::format("did not return within {} s {}; loading, " CCM_PLUGIN_ENTRY
                       " and exit handlers must not wait for anything",
                       limit.count() / 1000.0, when);
  }
  if (WIFSIGNALED(status)) {
    return fmt::format("crashed with {} {}; run it under a debugger", signal_name(WTERMSIG(status)),
                       when);
  }
  if (!loaded || WEXITSTATUS(status) != 0) {
    return fmt::format("ended the process with exit code {} {}; a plugin must never call exit",
                       WEXITSTATUS(status), when);
  }
  return {};
}

}  // namespace

TrialResult trial_load(const std::filesystem::path& path, std::chrono::milliseconds limit) {
  TrialResult result;
  const ChildEnd end = run_in_child([&path](int fd) { load_in_child(path, fd); }, limit);
  if (!end.failure.empty()) {
    result.failure = end.failure;
    return result;
  }
  const bool loaded = read_lines(end.report, result);
  if (result.failure.empty()) {
    const std::string fault = judge(end.status, loaded, end.in_time, limit);
    if (!fault.empty()) result.failure = "plugin " + path.string() + ": " + fault;
  }
  return result;
}

}  // namespace ccm::ctl
