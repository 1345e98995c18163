#include "conformance.hpp"

#include "child.hpp"
#include "conformance/trial.hpp"
#include "live_cloud.hpp"
#include "plugin_files/loader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <system_error>

namespace ccm::ctl {
namespace {

using conformance::Case;
using nlohmann::json;

// A folder for one case, removed with it.
class CaseFolder {
 public:
  CaseFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ccmctl-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
  }
  ~CaseFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string outcome(Verdict verdict, const std::string& text) {
  return json{{"verdict", static_cast<int>(verdict)}, {"text", text}}.dump(
      -1, ' ', true, json::error_handler_t::replace);
}

std::string run_here(const Case& which, conformance::Trial& trial) {
  std::string fault;
  try {
    which.run(trial);
    return outcome(Verdict::passed, "");
  } catch (const conformance::Failure& failure) {
    fault = failure.what();
  } catch (const conformance::Skip& skip) {
    return outcome(Verdict::skipped, skip.what());
  } catch (const conformance::CloudFault& cloud) {
    fault = cloud.what();
  }
  // A cloud that does not answer shows as many things.
  if (!trial.network.fault().empty()) fault = trial.network.fault();
  return outcome(Verdict::failed, fault);
}

void be_the_case(const ConformanceOptions& options, const Case& which, const std::string& folder,
                 int report) {
  const int messages = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  // A plugin's output can be looked at, and a fresh process has these.
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    const int file = ::memfd_create("stream", MFD_CLOEXEC);
    ::dup2(file, stream);
    ::close(file);
  }
  ::umask(022);
  std::setlocale(LC_ALL, "C");
  plugin_files::Loader loader;
  const auto loaded = loader.load(options.file);
  if (!loaded) {
    return write_report(report, outcome(Verdict::failed, loaded.status().message()));
  }
  // It is left to the end of the process: cases about the end of a component end it themselves.
  conformance::Trial* trial = nullptr;
  try {
    auto& settings = *new conformance::Settings;  // NOLINT: lives as long
    settings.subject = conformance::Subject::of(loaded->plugin);
    settings.cloud_command = options.cloud_command;
    settings.messages = messages;
    settings.cloud_config = options.cloud_config;
    settings.flags = options.flags;
    settings.directory = folder;
    settings.seed = options.seed;
    if (options.live) {
      settings.send = &send_to_cloud;
      settings.prefix = options.prefix;
      settings.cluster_seed = options.cluster_seed;
      settings.ledger = options.ledger;
    }
    trial = new conformance::Trial(settings);  // NOLINT
    if (options.live) take_secrets(trial->host.config);
    write_report(report, run_here(which, *trial));
    trial->cloud.end();
  } catch (const std::exception& fault) {
    write_report(report, outcome(Verdict::failed, fault.what()));
  }
  ::_exit(0);
}

CaseResult judge_case(const Case& which, const ChildEnd& end, std::chrono::milliseconds limit) {
  CaseResult result;
  result.which = &which;
  const json report = json::parse(end.report, nullptr, false);
  if (!end.failure.empty()) {
    result.text = end.failure;
  } else if (report.is_object()) {
    result.verdict = static_cast<Verdict>(report.at("verdict").get<int>());
    result.text = report.at("text");
  } else if (!end.in_time) {
    result.text = fmt::format("did not end within {} s", limit.count() / 1000.0);
  } else if (WIFSIGNALED(end.status)) {
    result.text = fmt::format("crashed with {}", signal_name(WTERMSIG(end.status)));
  } else {
    result.text = fmt::format("ended the process with exit code {}", WEXITSTATUS(end.status));
  }
  return result;
}

std::size_t how_many(const std::vector<CaseResult>& results, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [verdict](const CaseResult& each) { return each.verdict == verdict; }));
}

// Whether the plugin has a component that the case is about.
bool applies(const Case& which, const ConformanceOptions& options) {
  switch (which.about) {
    case conformance::About::any:
      return true;
    case conformance::About::provider:
      return options.has_provider;
    case conformance::About::controller:
      return options.has_controller;
  }
  return true;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"pass", "fail", "skip", "crashed"};
  return kNames[static_cast<int>(verdict)];
}

CaseResult run_case(const ConformanceOptions& options, const Case& which) {
  const CaseFolder folder;
  const auto began = std::chrono::steady_clock::now();
  const ChildEnd end = run_in_child(
      [&](int report) { be_the_case(options, which, folder.path(), report); }, options.limit);
  CaseResult result = judge_case(which, end, options.limit);
  result.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  return result;
}

std::vector<CaseResult> run_cases(const ConformanceOptions& options) {
  std::vector<CaseResult> results;
  for (const Case& each : conformance::all_cases()) {
    const auto& wanted = options.cases;
    const bool chosen = wanted.empty()
                            ? applies(each, options)
                            : std::find(wanted.begin(), wanted.end(), each.id) != wanted.end();
    if (chosen) results.push_back(run_case(options, each));
  }
  return results;
}

bool conforms(const std::vector<CaseResult>& results) {
  return how_many(results, Verdict::failed) + how_many(results, Verdict::crashed) == 0;
}

std::string summary(const std::vector<CaseResult>& results) {
  return fmt::format("{} passed, {} failed, {} crashed, {} skipped",
                     how_many(results, Verdict::passed), how_many(results, Verdict::failed),
                     how_many(results, Verdict::crashed), how_many(results, Verdict::skipped));
}

}  // namespace ccm::ctl
