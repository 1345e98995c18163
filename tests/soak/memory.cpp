#include "memory.hpp"

#include <unistd.h>

#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

namespace ccm::soak {

double resident_mb(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

double cpu_seconds(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double growth_mb(const std::vector<double>& samples) {
  const auto quarter = static_cast<std::ptrdiff_t>(samples.size() / 4);
  if (quarter < 2) return 0;
  const auto mean = [&](auto begin) {
    return std::accumulate(begin, begin + quarter, 0.0) / static_cast<double>(quarter);
  };
  return mean(samples.end() - quarter) - mean(samples.begin() + quarter);
}

}  // namespace ccm::soak
