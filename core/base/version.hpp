// The identity of this build. Any thread; the texts live for ever.
#pragma once

#include <string>
#include <string_view>

namespace ccm {

struct Version {
  std::string_view text;  // "v0.1.0"
  std::string_view major;
  std::string_view minor;
  std::string_view commit;    // whole id, or "unknown"
  std::string_view compiler;  // "GNU 12.2.0"
  std::string_view system;    // "linux"
  std::string_view machine;   // "amd64", "arm64": Go's names
};
const Version& version();

// From now on version().text is this (--version=vX, HOST-74). Before other threads start.
void report_version(std::string_view text);

// "<program>/<version> (<system>/<machine>) kubernetes/<commit>/<client>" (API-106, HOST-133), the
// commit cut to seven digits. `client` may be empty.
std::string user_agent(std::string_view program, std::string_view client);

}  // namespace ccm
