#include "plugin_files/pins.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace ccm::plugin {
namespace {

constexpr std::size_t kSumLength = 64;
constexpr std::string_view kLineBlanks = " \t\r";

bool is_sum(std::string_view text) {
  return text.size() == kSumLength && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isxdigit(c) != 0;
         });
}

}  // namespace

Status Pins::add(std::string_view text) {
  text = trim(text, kLineBlanks);
  const std::size_t equals = text.find('=');
  const std::string_view id = trim(text.substr(0, equals), kLineBlanks);
  const std::string_view sum = equals == std::string_view::npos
                                   ? std::string_view{}
                                   : trim(text.substr(equals + 1), kLineBlanks);
  if (id.empty() || !is_sum(sum)) {
    return Status(Code::invalid_argument,
                  "\"" + std::string(text) +
                      "\" is no ID=SUM with a plugin's id and the 64 hexadecimal digits of a "
                      "SHA-256 sum; ccmctl plugin list --pins prints them");
  }
  std::string lower = lower_case(sum);
  auto& sums = sums_[std::string(id)];
  if (std::find(sums.begin(), sums.end(), lower) == sums.end()) sums.push_back(std::move(lower));
  return {};
}

Status Pins::read(const std::filesystem::path& file) {
  std::ifstream lines(file);
  const auto unreadable = [&file] {
    return Status(Code::not_found, file.string() + " cannot be read: " +
                                       std::generic_category().message(errno == 0 ? EIO : errno));
  };
  if (!lines) return unreadable();
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view text =
        trim(std::string_view(line).substr(0, line.find('#')), kLineBlanks);
    if (text.empty()) continue;
    if (Status status = add(text); !status.ok()) {
      return status.with_context(file.string() + ":" + std::to_string(number));
    }
  }
  if (lines.bad()) return unreadable();
  if (empty()) {
    return Status(Code::invalid_argument,
                  file.string() + " names no plugin; ccmctl plugin list --pins prints the lines");
  }
  return {};
}

const std::vector<std::string>* Pins::find(std::string_view id) const {
  const auto place = sums_.find(id);
  return place == sums_.end() ? nullptr : &place->second;
}

std::string pin_line(std::string_view id, std::string_view sha256, std::string_view file) {
  return std::string(id) + "=" + std::string(sha256) + "  # " + std::string(file);
}

}  // namespace ccm::plugin
