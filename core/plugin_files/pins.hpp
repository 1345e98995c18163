// Pins: the SHA-256 sums of the plugin files that may be loaded. Values; any thread.
#pragma once

#include <ccm/status.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

class Pins {
 public:
  // One "ID=SUM". Failure: invalid_argument, a clause that fits after its place.
  Status add(std::string_view text);
  // A file with one on each line; empty lines and text after a # do not count. Failure: one line
  // with file and line.
  Status read(const std::filesystem::path& file);

  // Without pins every file may be loaded; with at least one, only pinned files.
  [[nodiscard]] bool empty() const { return sums_.empty(); }
  // The sums of a plugin, in lower case; null when it has none.
  [[nodiscard]] const std::vector<std::string>* find(std::string_view id) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> sums_;
};

// The line for such a file.
std::string pin_line(std::string_view id, std::string_view sha256, std::string_view file);

}  // namespace ccm::plugin
