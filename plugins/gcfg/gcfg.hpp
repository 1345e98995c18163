// The dialect of INI that cloud configurations are written in: that of the Go library gcfg 1.2.3
// (OS-17..OS-28, OS-32). The text only; each provider knows what may stand in it. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm {

struct GcfgVariable {
  std::string name;                  // as written
  std::optional<std::string> value;  // without quotes and escapes; nothing when there is no "="
  size_t line = 0;
};

// As it stands in the file: one that is opened twice is there twice.
struct GcfgSection {
  std::string name;        // as written
  std::string subsection;  // empty when there is none
  size_t line = 0;
  std::vector<GcfgVariable> variables;
};

// Failure: invalid_argument, "line 3, column 7: ...". The message holds no part of a value, which
// may be a password.
Result<std::vector<GcfgSection>> parse_gcfg(std::string_view text);

}  // namespace ccm
