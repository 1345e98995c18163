#include "traffic.hpp"

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace ccm::bench {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  char piece[4096];
  for (std::size_t size = 1; pipe && size > 0;) {
    size = fread(piece, 1, sizeof piece, pipe.get());
    text.append(piece, size);
  }
  return text;
}

// The number after `name`; 0 when it is not there.
double number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  return at == std::string_view::npos ? 0
                                      : std::stod(std::string(text.substr(at + name.size(), 24)));
}

}  // namespace

double answered_requests(const Server& admin) {
  std::istringstream lines(send_one(admin, {"GET", "/metrics", "", ""}));
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("apiserver_request_total{"))
      sum += std::stod(line.substr(line.rfind(' ')));
  }
  return sum;
}

// One connection a line: "... users:(("cloud-controller",pid=7,fd=9)) ... bytes_sent:1 ...".
Bytes bytes_of(int pid, const Server& peer) {
  std::istringstream lines(
      output_of("ss -tinpOH state established 'dport = :" + peer.port + "' 2>&1"));
  const std::string owner = "pid=" + std::to_string(pid) + ",";
  Bytes bytes;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(owner) == std::string::npos) continue;
    bytes.received += number_after(line, " bytes_received:");
    bytes.sent += number_after(line, " bytes_sent:");
  }
  return bytes;
}

}  // namespace ccm::bench
