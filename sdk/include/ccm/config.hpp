// ccm::Config: flags, the --cloud-config file, secrets.
#pragma once

#include <ccm/abi/config.h>
#include <ccm/callback.hpp>
#include <ccm/duration.hpp>
#include <ccm/log.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

class Config {
 public:
  explicit Config(Service<ccm_host_config> host, Log log = {})
      : host_(host), log_(std::move(log)) {}
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  // The value in force of a flag, without dashes; nothing when there is no such flag. Booleans are
  // "true" or "false", lists are joined by commas. [any-thread]
  [[nodiscard]] std::optional<std::string_view> flag(std::string_view name) const {
    const auto fn = host_.get(&ccm_host_config::flag);
    ccm_str value{nullptr, 0};
    if (fn == nullptr || fn(host_.self(), c_str(name), &value) == 0) return std::nullopt;
    return view(value);
  }
  // The flag as a whole number; nothing also when it is none.
  [[nodiscard]] std::optional<int64_t> integer_flag(std::string_view name) const {
    const auto text = flag(name);
    if (!text) return std::nullopt;
    int64_t number = 0;
    const char* end = text->data() + text->size();
    const auto [stop, fault] = std::from_chars(text->data(), end, number);
    if (fault != std::errc() || stop != end) return std::nullopt;
    return number;
  }
  // The flag as a duration in Go's form ("5m0s", "1.5h", "300ms"); nothing also when it is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> duration_flag(
      std::string_view name) const {
    const auto text = flag(name);
    return text ? parse_duration(*text) : std::nullopt;
  }
  // Whether the user gave the flag, rather than leaving its default. [any-thread]
  [[nodiscard]] bool flag_given(std::string_view name) const {
    const auto fn = host_.get(&ccm_host_config::flag_given);
    return fn != nullptr && fn(host_.self(), c_str(name)) != 0;
  }

  // The bytes of --cloud-config; nothing when the flag is empty. Borrowed: within an operation
  // until that has ended, elsewhere until the change callback ran the next time. [any-thread]
  [[nodiscard]] std::optional<std::string_view> cloud_config() const {
    const auto fn = host_.get(&ccm_host_config::cloud_config);
    ccm_str text{nullptr, 0};
    if (fn == nullptr || fn(host_.self(), &text) == 0) return std::nullopt;
    return view(text);
  }

  // The secret NAME: the file that the environment variable NAME_FILE names, else the variable
  // NAME; read again on each call. Never log it. [any-thread]
  [[nodiscard]] std::optional<std::string> secret(std::string_view name) const {
    const auto fn = host_.get(&ccm_host_config::secret);
    if (fn == nullptr) return std::nullopt;
    std::string value(256, '\0');
    for (;;) {
      const int64_t length = fn(host_.self(), c_str(name), value.data(), value.size());
      if (length < 0) return std::nullopt;
      const bool whole = static_cast<uint64_t>(length) <= value.size();
      value.resize(static_cast<size_t>(length));
      if (whole) return value;
    }
  }

  // Calls `fn` in [serial] whenever --cloud-config changed on disk. [create]
  void on_change(std::function<void()> fn) const {
    const auto add = host_.get(&ccm_host_config::on_change);
    if (add == nullptr) return;
    add(host_.self(), detail::make_callback(log_, "config.on_change", std::move(fn)));
  }
  // Tells the operator that what stands now in `file` (a path that was read through the host; empty
  // = --cloud-config) cannot be used and the configuration from before stays in force: where the
  // fault is, and what to do. Until accepted() or the next change. [any-thread]
  void rejected(std::string_view reason, std::string_view file = {}) const {
    const auto fn = host_.get(&ccm_host_config::rejected);
    if (fn != nullptr) fn(host_.self(), c_str(file), c_str(reason));
  }
  // The present content is in force. [any-thread]
  void accepted(std::string_view file = {}) const {
    const auto fn = host_.get(&ccm_host_config::accepted);
    if (fn != nullptr) fn(host_.self(), c_str(file));
  }

  [[nodiscard]] static std::optional<std::chrono::milliseconds> parse_duration(
      std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
    const auto duration = ccm::parse_duration(text);
    if (!duration) return std::nullopt;
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(*duration);
    const bool up = *duration - whole >= std::chrono::microseconds(500);
    return up ? whole + std::chrono::milliseconds(1) : whole;
  }

 private:
  Service<ccm_host_config> host_;
  Log log_;
};

}  // namespace ccm
