#include "base/version.hpp"

#include "base/version_values.hpp"

namespace ccm {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kMachine = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kMachine = "arm64";
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::string_view kMachine = "riscv64";
#elif defined(__powerpc64__)
constexpr std::string_view kMachine = "ppc64le";
#elif defined(__s390x__)
constexpr std::string_view kMachine = "s390x";
#else
constexpr std::string_view kMachine = "unknown";
#endif

Version& mutable_version() {
  static Version build{
      CCM_VERSION,          CCM_VERSION_MAJOR,  CCM_VERSION_MINOR, CCM_VERSION_COMMIT,
      CCM_VERSION_COMPILER, CCM_VERSION_SYSTEM, kMachine};
  return build;
}

}  // namespace

const Version& version() { return mutable_version(); }

void report_version(std::string_view text) {
  static std::string kept;
  kept = text;
  mutable_version().text = kept;
}

std::string user_agent(std::string_view program, std::string_view client) {
  const Version& build = version();
  std::string agent(program);
  agent.append("/").append(build.text);
  agent.append(" (").append(build.system).append("/").append(build.machine).append(")");
  agent.append(" kubernetes/").append(build.commit.substr(0, 7));
  if (!client.empty()) agent.append("/").append(client);
  return agent;
}

}  // namespace ccm
