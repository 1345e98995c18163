#include "plugin/host_services/process_service.hpp"

#include "kube/child_process.hpp"
#include "kube/file_text.hpp"
#include "net/coroutines.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace ccm::plugin {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kNamedFileLimit = 1u << 20;
constexpr std::size_t kOutputLimit = 64u << 10;
constexpr milliseconds kMostTime{60'000};

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// A line's value may have a comment behind it.
bool is_value(std::string_view value, std::string_view command) {
  if (!value.starts_with(command)) return false;
  const std::string_view rest = value.substr(command.size());
  if (rest.empty()) return true;
  const std::string_view comment = trim(rest);
  return is_blank(rest.front()) && (comment.starts_with('#') || comment.starts_with(';'));
}

struct NamedCommand {
  std::string file;
  std::string setting;
  std::string command;
};

// Blocks: a file system may hang.
Status check_file(const NamedCommand& wanted) {
  const auto text = kube::read_operators_file(wanted.file, kNamedFileLimit);
  if (!text.ok()) return text.status();
  if (names_command(*text, wanted.setting, wanted.command)) return {};
  return {Code::permission_denied,
          "no line of " + wanted.file + " gives " + wanted.setting + " that command"};
}

Result<kube::ProcessSpec> spec_of(const NamedCommand& wanted) {
  auto words = words_of(wanted.command);
  const std::string name = wanted.setting + " of " + wanted.file;
  if (!words.ok()) return words.status().with_context(name);
  kube::ProcessSpec spec;
  spec.command = words->front();
  // Where a shell is expected, the first word may be NAME=SECRET.
  if (!spec.command.starts_with('/')) spec.name = name;
  spec.args.assign(words->begin() + 1, words->end());
  spec.output_limit = kOutputLimit;
  return spec;
}

boost::asio::awaitable<void> run_program(HostOperation::Ptr running, kube::ProcessSpec spec) {
  const auto executor = running->component().runtime().loop.executor();
  kube::ProcessEnd end;
  try {
    auto program = kube::run_process(executor, std::move(spec));
    end = co_await net::until_stopped(std::move(program), running->stop_token());
  } catch (const boost::system::system_error&) {
    end.status = {Code::unavailable, "the program was given up"};  // unless the operation has ended
  }
  if (!end.status.ok()) {
    running->end(end.status);
    co_return;
  }
  auto output = sized<ccm_program_output>();
  output.bytes = c_str(end.output);
  running->end({}, &output);
}

void start_program(const HostOperation::Ptr& running, const NamedCommand& wanted) {
  auto spec = spec_of(wanted);
  if (!spec.ok()) return running->end(spec.status());
  const auto left = running->context()->remaining();
  spec->timeout =
      left ? std::clamp(std::chrono::duration_cast<milliseconds>(*left), milliseconds(1), kMostTime)
           : kMostTime;
  net::spawn(running->component().runtime().loop.executor(),
             run_program(running, *std::move(spec)));
}

}  // namespace

bool names_command(std::string_view text, std::string_view setting, std::string_view command) {
  if (setting.empty() || command.empty() || trim(command) != command ||
      command.find('\n') != std::string_view::npos) {
    return false;
  }
  const std::string wanted = lower_case(setting);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || lower_case(trim(line.substr(0, equals))) != wanted) {
      continue;
    }
    if (is_value(trim(line.substr(equals + 1)), command)) return true;
  }
  return false;
}

Result<std::vector<std::string>> words_of(std::string_view command) {
  std::vector<std::string> words;
  bool inside = false;  // of a word, which may be empty: ''
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const char next = i + 1 < command.size() ? command[i + 1] : '\0';
    if (quote == 0 && is_blank(c)) {
      inside = false;
      continue;
    }
    if (!std::exchange(inside, true)) words.emplace_back();
    const bool escapes = c == '\\' && (quote == 0 ? next != '\0' : next == '"' || next == '\\');
    if (escapes && quote != '\'') {
      words.back() += next;
      ++i;
    } else if (quote == 0 ? c == '\'' || c == '"' : c == quote) {
      quote = quote == 0 ? c : '\0';
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return Status(Code::invalid_argument, "a quote of the command has no end");
  if (words.empty() || words.front().empty()) {
    return Status(Code::invalid_argument, "the command names no program");
  }
  return words;
}

void ProcessService::run(void* self, ccm_ctx ctx, const ccm_run_request* given,
                         ccm_completion done) noexcept {
  auto& service = *static_cast<ProcessService*>(self);
  Status wrong = check_request(given);
  const ccm_run_request request = known(given);
  NamedCommand wanted{std::string(view(request.file)), std::string(view(request.setting)),
                      std::string(view(request.command))};
  if (wrong.ok() && !wanted.file.starts_with('/')) {
    wrong = Status(Code::invalid_argument, "\"" + wanted.file + "\" is no absolute path");
  }
  auto start = [&files = service.files_,
                wanted = std::move(wanted)](const HostOperation::Ptr& running) {
    files.work([running, wanted] {
      const Status checked = check_file(wanted);
      return [running, wanted, checked] {
        if (running->ended()) return;
        if (!checked.ok()) return running->end(checked);
        start_program(running, wanted);
      };
    });
  };
  HostOperation::begin(service.component(), ctx, done, "process.run", std::move(wrong),
                       std::move(start));
}

const ccm_host_process ProcessService::kTable{sizeof(kTable), 0, &run};

}  // namespace ccm::plugin
