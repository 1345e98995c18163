// Structured log in klog's two shapes (HOST-72): a constant message and key-value pairs.
//
//   log::info("Initialised node", {{"node", name}, {"providerID", id}});
//   if (auto v = log::v(4)) v.info("Skipped node", {{"node", name}});
//
// Everything here: any thread. One record is one write, and nothing is buffered. Never pass a
// secret: values are written as they are.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ccm::log {

// Borrows texts: valid within the full expression that makes it.
class Value {
 public:
  template <typename T>
  requires std::convertible_to<const T&, std::string_view> Value(const T& text)
      : data_(std::string_view(text)) {}  // NOLINT: implicit on purpose
  Value(bool value) : data_(value) {}     // NOLINT
  template <std::signed_integral T>
  Value(T value) : data_(static_cast<int64_t>(value)) {}  // NOLINT
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Value(T value)
      : data_(static_cast<uint64_t>(value)) {}  // NOLINT
  Value(double value) : data_(value) {}         // NOLINT
  template <typename Rep, typename Period>
  Value(std::chrono::duration<Rep, Period> value)  // NOLINT
      : data_(std::chrono::duration_cast<std::chrono::nanoseconds>(value)) {}
  Value(const Status& status) : data_(std::string_view(status.message())) {}  // NOLINT
  Value(std::span<const std::string> list) : data_(list) {}                   // NOLINT
  Value(const std::vector<std::string>& list)                                 // NOLINT
      : data_(std::span<const std::string>(list)) {}

  using Data = std::variant<std::string_view, bool, int64_t, uint64_t, double,
                            std::chrono::nanoseconds, std::span<const std::string>>;
  [[nodiscard]] const Data& data() const { return data_; }

 private:
  Data data_;
};

struct Field {
  std::string_view key;
  Value value;
};
using Fields = std::initializer_list<Field>;
using Location = std::source_location;

enum class Severity { info, warning, error };

// A record with all fields given: for lines that plugins write.
struct Record {
  Severity severity = Severity::info;
  int verbosity = 0;  // for info lines
  std::string_view message;
  std::span<const Field> fields;
  std::string_view file;  // path or base name; may be empty
  uint32_t line = 0;
  std::string_view logger;       // the plugin's id; empty for the host
  std::string_view component{};  // the plugin's; only --vmodule looks at it
};

// Writes the record if its verbosity is enabled.
void write(const Record& record);

// `file`, `logger` and `component` as in Record: a pattern of --vmodule holds for a line when it
// matches one of them.
[[nodiscard]] bool enabled(int verbosity, std::string_view file, std::string_view logger = {},
                           std::string_view component = {});
// Whether a line of that verbosity is written for any file at all: for callers that do not know the
// file yet.
[[nodiscard]] bool maybe_enabled(int verbosity);

void error(std::string_view message, Fields fields = {}, Location where = Location::current());
void warning(std::string_view message, Fields fields = {}, Location where = Location::current());
void info(std::string_view message, Fields fields = {}, Location where = Location::current());

class Verbose {
 public:
  explicit operator bool() const { return enabled_; }
  void info(std::string_view message, Fields fields = {}) const;

 private:
  friend Verbose v(int verbosity, Location where);
  Verbose(bool enabled, int verbosity, Location where)
      : enabled_(enabled), verbosity_(verbosity), where_(where) {}
  bool enabled_;
  int verbosity_;
  Location where_;
};
[[nodiscard]] Verbose v(int verbosity, Location where = Location::current());

enum class Format { text, json };

struct Config {
  Format format = Format::text;
  int verbosity = 0;
  std::string vmodule{};      // "file=2,dir/*=4,digitalocean=6"; text only
  bool split_stream = false;  // errors to stderr, the rest to stdout; else all to stderr
  std::string suffix{};       // ends each message: " (dry run)"
};

// ok, or invalid_argument with the fault of a --vmodule text.
Status check_vmodule(std::string_view vmodule);

// Replaces the configuration. On failure (vmodule) nothing changes.
Status configure(const Config& config);

// Changes --v of a running process (HOST-98).
void set_verbosity(int verbosity);
[[nodiscard]] int verbosity();

// Gives each finished line, without its newline, to `output` instead of the streams; an empty
// function restores them. `output` is called by one thread at a time and must not log.
void redirect(std::function<void(std::string_view line)> output);

// How a record looks as a line, without the newline. Any thread.

// klog's text: I1121 09:01:37.123456    4711 file.cpp:42] "message" key="value"
std::string format_text(const Record& record, std::chrono::system_clock::time_point time, int pid);

// klog's JSON:
// {"ts":1637485297123.456,"caller":"dir/file.cpp:42","msg":"message","v":0,"key":"value"} Errors
// have no "v"; warnings have "severity":"warning".
std::string format_json(const Record& record, std::chrono::system_clock::time_point time);

// File name without folders, and without its extension too.
std::string_view base_name(std::string_view path);
std::string_view without_extension(std::string_view path);

// For log lines that a client can cause without limit.

// Lets one line pass in each period and counts the others. One thread.
class Throttle {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Throttle(Clock::duration period = std::chrono::seconds(10)) : period_(period) {}

  // Nothing: leave this line out. Else the number of lines left out since the last one.
  std::optional<std::uint64_t> pass(Clock::time_point now = Clock::now()) {
    if (now < next_) {
      ++left_out_;
      return std::nullopt;
    }
    next_ = now + period_;
    const std::uint64_t count = left_out_;
    left_out_ = 0;
    return count;
  }

 private:
  Clock::duration period_;
  Clock::time_point next_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace ccm::log
