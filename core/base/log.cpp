#include "base/log.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"

#include <ccm/shown_text.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <poll.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace ccm::log {

namespace {

struct ModulePattern {
  std::string pattern;
  int verbosity = 0;
  bool whole_path = false;
};

Record record_of(Severity severity, int verbosity, std::string_view message,
                 std::span<const Field> fields, const Location& where) {
  return {severity, verbosity, message, fields, where.file_name(), where.line(), {}, {}};
}

// Standard error or output without a buffer. Lines that cannot be written, since the disk is full
// or a limit of the file's size is reached, are counted; the first one that can be written follows
// a line that tells the number.
// Where there is an `output`, it gets the lines instead.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  using Output = std::function<void(std::string_view)>;
  LineSink(int stream, Format format, int pid, Output output)
      : stream_(stream), format_(format), pid_(pid), output_(std::move(output)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view line(message.payload.data(), message.payload.size());
    if (output_) return output_(line);
    if (lost_ > 0 && !write_line(line_about_lost())) {
      ++lost_;
      return;
    }
    lost_ = 0;
    if (!write_line(line)) ++lost_;
  }
  void flush_() override {}

  [[nodiscard]] std::string line_about_lost() const {
    const Field lost{"lines", lost_};
    const Record record = record_of(Severity::warning, 0, "Log lines could not be written",
                                    {&lost, 1}, Location::current());
    const auto now = std::chrono::system_clock::now();
    return format_ == Format::json ? format_json(record, now) : format_text(record, now, pid_);
  }

  bool write_line(std::string_view text) {
    std::string line = broken_ ? "\n" : "";
    line.append(text).append("\n");
    std::size_t done = 0;
    while (done < line.size()) {
      const ssize_t count = ::write(stream_, line.data() + done, line.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN && writable_again()) continue;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    if (done > 0) broken_ = done < line.size();
    return done == line.size();
  }
  // Somebody made the pipe non-blocking: wait for its reader.
  [[nodiscard]] bool writable_again() const {
    pollfd stream{stream_, POLLOUT, 0};
    return ::poll(&stream, 1, -1) > 0;
  }

  const int stream_;
  const Format format_;
  const int pid_;
  const Output output_;
  std::uint64_t lost_ = 0;
  bool broken_ = false;  // the last line is not whole
};

struct State {
  std::atomic<int> verbosity{0};
  std::atomic<int> highest_module{-1};  // -1: no patterns
  std::shared_mutex mutex;              // for what follows
  std::vector<ModulePattern> modules;
  Format format = Format::text;
  std::function<void(std::string_view)> output;
  bool split_stream = false;
  std::string suffix;
  std::shared_ptr<spdlog::logger> errors;  // warnings too
  std::shared_ptr<spdlog::logger> infos;
  const int pid = ::getpid();
};

// The mutex is held. Which lines are written has been decided before: spdlog's levels are not used.
void open_streams(State& state) {
  const auto open = [&state](const char* name, int stream) {
    return std::make_shared<spdlog::logger>(
        name, std::make_shared<LineSink>(stream, state.format, state.pid, state.output));
  };
  state.errors = open("errors", STDERR_FILENO);
  const bool split = state.split_stream && !state.output;
  state.infos = split ? open("infos", STDOUT_FILENO) : state.errors;
}

// Never destroyed: threads may log while statics are destroyed.
State& state() {
  static State& instance = []() -> State& {
    auto* made = new State;
    open_streams(*made);
    return *made;
  }();
  return instance;
}

Result<std::vector<ModulePattern>> parse_vmodule(std::string_view text) {
  std::vector<ModulePattern> modules;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    ModulePattern module;
    bool valid = equals != std::string_view::npos && equals > 0;
    if (valid) {
      const std::string_view number = item.substr(equals + 1);
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), module.verbosity);
      valid = error == std::errc() && end == number.data() + number.size() && module.verbosity >= 0;
    }
    if (!valid) {
      return Status(Code::invalid_argument,
                    "\"" + std::string(item) + "\" is not of the form pattern=N with N >= 0");
    }
    module.pattern = item.substr(0, equals);
    module.whole_path = module.pattern.find('/') != std::string::npos;
    if (module.whole_path && module.pattern[0] != '/') module.pattern.insert(0, "*/");
    modules.push_back(std::move(module));
  }
  return modules;
}

bool matches(const ModulePattern& module, const std::string& subject) {
  return !subject.empty() && ::fnmatch(module.pattern.c_str(), subject.c_str(), 0) == 0;
}

// The first pattern that matches decides, as in klog; -1 when none does.
int module_verbosity(State& state, std::string_view file, std::string_view logger,
                     std::string_view component) {
  const std::string path(without_extension(file));
  const std::string name(base_name(path));
  const std::string plugin(logger);
  const std::string part(component);
  const std::shared_lock lock(state.mutex);
  for (const ModulePattern& module : state.modules) {
    if (matches(module, module.whole_path ? path : name) || matches(module, plugin) ||
        matches(module, part)) {
      return module.verbosity;
    }
  }
  return -1;
}

void write_unchecked(Record record) {
  State& log_state = state();
  Format format = Format::text;
  std::shared_ptr<spdlog::logger> logger;
  std::string message;
  {
    const std::shared_lock lock(log_state.mutex);
    format = log_state.format;
    if (!log_state.suffix.empty()) {
      message = std::string(record.message) + log_state.suffix;
      record.message = message;
    }
    logger = record.severity == Severity::info ? log_state.infos : log_state.errors;
  }
  const auto now = std::chrono::system_clock::now();
  const std::string line =
      format == Format::json ? format_json(record, now) : format_text(record, now, log_state.pid);
  logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

void write_at(Severity severity, int verbosity, std::string_view message, Fields fields,
              const Location& where) {
  write_unchecked(record_of(severity, verbosity, message, {fields.begin(), fields.size()}, where));
}

}  // namespace

bool maybe_enabled(int verbosity) {
  const State& log_state = state();
  return verbosity <= log_state.verbosity.load(std::memory_order_relaxed) ||
         verbosity <= log_state.highest_module.load(std::memory_order_acquire);
}

bool enabled(int verbosity, std::string_view file, std::string_view logger,
             std::string_view component) {
  State& log_state = state();
  if (verbosity <= log_state.verbosity.load(std::memory_order_relaxed)) return true;
  return verbosity <= log_state.highest_module.load(std::memory_order_acquire) &&
         verbosity <= module_verbosity(log_state, file, logger, component);
}

void write(const Record& record) {
  if (record.severity == Severity::info &&
      !enabled(record.verbosity, record.file, record.logger, record.component)) {
    return;
  }
  write_unchecked(record);
}

void error(std::string_view message, Fields fields, Location where) {
  write_at(Severity::error, 0, message, fields, where);
}

void warning(std::string_view message, Fields fields, Location where) {
  write_at(Severity::warning, 0, message, fields, where);
}

void info(std::string_view message, Fields fields, Location where) {
  write_at(Severity::info, 0, message, fields, where);
}

void Verbose::info(std::string_view message, Fields fields) const {
  if (enabled_) write_at(Severity::info, verbosity_, message, fields, where_);
}

Verbose v(int verbosity, Location where) {
  return Verbose(enabled(verbosity, where.file_name()), verbosity, where);
}

Status check_vmodule(std::string_view vmodule) { return parse_vmodule(vmodule).status(); }

Status configure(const Config& config) {
  auto modules = parse_vmodule(config.vmodule);
  if (!modules) return modules.status();
  State& log_state = state();
  {
    const std::unique_lock lock(log_state.mutex);
    log_state.modules = std::move(*modules);
    int highest = -1;
    for (const ModulePattern& module : log_state.modules) {
      highest = std::max(highest, module.verbosity);
    }
    log_state.highest_module.store(highest, std::memory_order_release);
    log_state.format = config.format;
    log_state.split_stream = config.split_stream;
    log_state.suffix = config.suffix;
    open_streams(log_state);
  }
  log_state.verbosity.store(config.verbosity, std::memory_order_relaxed);
  return {};
}

void set_verbosity(int verbosity) { state().verbosity.store(verbosity, std::memory_order_relaxed); }

int verbosity() { return state().verbosity.load(std::memory_order_relaxed); }

void redirect(std::function<void(std::string_view line)> output) {
  State& log_state = state();
  const std::unique_lock lock(log_state.mutex);
  log_state.output = std::move(output);
  open_streams(log_state);
}

namespace {

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// A character by its number, as Go quotes what cannot be shown.
void append_code(Buffer& out, std::string_view character, bool json) {
  constexpr std::array<unsigned, 5> kLeadBits{0, 0, 0x1F, 0x0F, 0x07};
  unsigned code = static_cast<unsigned char>(character.front()) & kLeadBits.at(character.size());
  for (const char c : character.substr(1))
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  if (code < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  } else if (json) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}",
                   0xD800 + ((code - 0x10000) >> 10U), 0xDC00 + ((code - 0x10000) & 0x3FFU));
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", code);
  }
}

// A quoted string. JSON and Go's quoting differ in how they write what cannot be shown.
void append_quoted(Buffer& out, std::string_view text, bool json) {
  constexpr std::string_view kNamed = "\n\t\r";
  out.push_back('"');
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t length = utf8_character(text).length;
    if (length > 1) {
      const std::string_view character = text.substr(0, length);
      if (hidden_length(text) != 0) {
        append_code(out, character, json);
      } else {
        append(out, character);
      }
      text.remove_prefix(length);
      continue;
    }
    if (length == 0) {
      if (json) {
        append(out, "\\ufffd");
      } else {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (const auto at = kNamed.find(c); at != std::string_view::npos) {
      out.push_back('\\');
      out.push_back("ntr"[at]);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      append(out, json ? "\\u00" : "\\x");
      fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
    text.remove_prefix(1);
  }
  out.push_back('"');
}

struct ValueWriter {
  Buffer& out;
  bool json;

  void operator()(std::string_view text) const { append_quoted(out, text, json); }
  void operator()(auto value) const { fmt::format_to(std::back_inserter(out), "{}", value); }
  void operator()(double value) const {
    const std::string text = fmt::format("{}", value);
    if (json && !std::isfinite(value)) return append_quoted(out, text, true);
    append(out, text);
  }
  void operator()(std::chrono::nanoseconds value) const {
    append_quoted(out, format_duration(value), json);
  }
  void operator()(std::span<const std::string> list) const {
    out.push_back('[');
    bool first = true;
    for (const std::string& item : list) {
      if (!first) out.push_back(',');
      first = false;
      append_quoted(out, item, json);
    }
    out.push_back(']');
  }
};

// The last folder and the file.
std::string_view short_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return path;
  const std::size_t before = path.rfind('/', slash - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

char letter(Severity severity) { return "IWE"[static_cast<std::size_t>(severity)]; }

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_extension(std::string_view path) {
  const std::size_t point = path.rfind('.');
  if (point == std::string_view::npos) return path;
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && slash > point ? path : path.substr(0, point);
}

std::string format_text(const Record& record, std::chrono::system_clock::time_point time, int pid) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const time_t seconds = since_epoch / 1'000'000;
  tm local{};
  ::localtime_r(&seconds, &local);
  Buffer out;
  fmt::format_to(std::back_inserter(out), "{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ",
                 letter(record.severity), local.tm_mon + 1, local.tm_mday, local.tm_hour,
                 local.tm_min, local.tm_sec, since_epoch % 1'000'000, pid,
                 record.file.empty() ? std::string_view("???") : base_name(record.file),
                 record.line);
  append_quoted(out, record.message, false);
  if (!record.logger.empty()) {
    append(out, " logger=");
    append_quoted(out, record.logger, false);
  }
  for (const Field& field : record.fields) {
    out.push_back(' ');
    append(out, field.key);
    out.push_back('=');
    std::visit(ValueWriter{out, false}, field.value.data());
  }
  return fmt::to_string(out);
}

std::string format_json(const Record& record, std::chrono::system_clock::time_point time) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  Buffer out;
  fmt::format_to(std::back_inserter(out), "{{\"ts\":{}.{:03}", since_epoch / 1000,
                 since_epoch % 1000);
  if (!record.logger.empty()) {
    append(out, ",\"logger\":");
    append_quoted(out, record.logger, true);
  }
  if (!record.file.empty()) {
    append(out, ",\"caller\":");
    append_quoted(out, fmt::format("{}:{}", short_path(record.file), record.line), true);
  }
  append(out, ",\"msg\":");
  append_quoted(out, record.message, true);
  if (record.severity != Severity::error) {
    fmt::format_to(std::back_inserter(out), ",\"v\":{}", record.verbosity);
  }
  if (record.severity == Severity::warning) append(out, ",\"severity\":\"warning\"");
  for (const Field& field : record.fields) {
    out.push_back(',');
    append_quoted(out, field.key, true);
    out.push_back(':');
    std::visit(ValueWriter{out, true}, field.value.data());
  }
  out.push_back('}');
  return fmt::to_string(out);
}

}  // namespace ccm::log
