// ccm::Log: structured lines. The message is a constant; what varies goes into pairs, so that lines
// can be counted and searched:  log.warning("node has no instance", {{"node", name}});
// Never log a secret. [any-thread]
#pragma once

#include <ccm/abi/log.h>
#include <ccm/ctx.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ccm {

struct LogPair {
  LogPair(std::string_view k, std::string v) : key(k), value(std::move(v)) {}
  LogPair(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogPair(std::string_view k, const char* v) : key(k), value(v) {}
  LogPair(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  LogPair(std::string_view k, std::chrono::milliseconds v)
      : key(k), value(std::to_string(v.count()) + "ms") {}
  LogPair(std::string_view k, const Status& v) : key(k), value(v.message()) {}
  template <typename Number>
  requires(std::integral<Number> || std::floating_point<Number>)
      LogPair(std::string_view k, Number v)
      : key(k), value(std::to_string(v)) {}

  std::string_view key;
  std::string value;
};

// A constant text together with the line that logs it.
struct LogMessage {
  template <std::size_t N>
  consteval LogMessage(const char (&literal)[N],  // NOLINT: implicit on purpose
                       std::source_location place = std::source_location::current())
      : text(literal, N - 1), where(place) {}

  std::string_view text;
  std::source_location where;
};

class Log {
 public:
  using Pairs = std::initializer_list<LogPair>;

  Log() = default;
  explicit Log(Service<ccm_host_log> host) : host_(host) {}

  // This log, whose lines also carry the fields of `ctx`.
  [[nodiscard]] Log with(Ctx ctx) const {
    Log log(host_);
    log.ctx_ = std::move(ctx);
    return log;
  }

  void error(LogMessage message, Pairs pairs = {}) const { write(CCM_LOG_ERROR, message, pairs); }
  void warning(LogMessage message, Pairs pairs = {}) const {
    write(CCM_LOG_WARNING, message, pairs);
  }
  void info(LogMessage message, Pairs pairs = {}) const { write(CCM_LOG_INFO, message, pairs); }
  void debug(LogMessage message, Pairs pairs = {}) const { write(CCM_LOG_DEBUG, message, pairs); }
  // klog's verbosity: written when --v is at least `level`.
  void v(int32_t level, LogMessage message, Pairs pairs = {}) const {
    write(level, message, pairs);
  }

  [[nodiscard]] bool enabled(int32_t level) const {
    const auto fn = host_.get(&ccm_host_log::enabled);
    return fn != nullptr ? fn(host_.self(), level) != 0 : static_cast<bool>(host_);
  }

 private:
  void write(int32_t level, const LogMessage& message, Pairs pairs) const {
    const auto fn = host_.get(&ccm_host_log::write);
    if (fn == nullptr || !enabled(level)) return;
    std::vector<ccm_key_value> values;
    values.reserve(pairs.size());
    for (const LogPair& pair : pairs) values.push_back({c_str(pair.key), c_str(pair.value)});
    std::string_view file = message.where.file_name();
    file.remove_prefix(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
    ccm_log_record record = sized<ccm_log_record>();
    record.level = level;
    record.message = c_str(message.text);
    record.pairs = values.data();
    record.pair_count = values.size();
    record.file = c_str(file);
    record.line = message.where.line();
    fn(host_.self(), ctx_.get(), &record);
  }

  Service<ccm_host_log> host_;
  Ctx ctx_;
};

}  // namespace ccm
