// Programs that the manager starts must get none of its connections, files and keys.
#include "endpoint_fixture.hpp"

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace ccm::e2e {
namespace {

// The targets of the links in /proc/PID/fd, by number.
std::map<std::string, std::string> descriptors(pid_t pid) {
  std::map<std::string, std::string> found;
  const std::string process = pid == 0 ? "self" : std::to_string(pid);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone) found[entry.path().filename()] = target;
  }
  return found;
}

TEST_F(EndpointTest, EveryDescriptorOfTheManagerIsCloseOnExec) {
  start(reviews());
  ASSERT_TRUE(manager_->running());
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
  std::set<std::string> inherited;  // by the manager from this program
  for (const auto& [number, target] : descriptors(0)) inherited.insert(target);
  std::size_t looked_at = 0;
  for (const auto& [number, target] : descriptors(manager_->pid())) {
    if (std::stoi(number) <= 2 || inherited.count(target) != 0) continue;
    std::ifstream info("/proc/" + std::to_string(manager_->pid()) + "/fdinfo/" + number);
    std::string line;
    while (std::getline(info, line) && !line.starts_with("flags:")) {
    }
    if (line.empty()) continue;  // closed meanwhile
    const auto flags = std::stoul(line.substr(line.find_first_of("01234567")), nullptr, 8);
    EXPECT_NE(flags & static_cast<unsigned long>(O_CLOEXEC), 0u) << number << " is " << target;
    ++looked_at;
  }
  EXPECT_GT(looked_at, 6u)
      << "epoll, events, timers, the listener and connections to the API server";
}

}  // namespace
}  // namespace ccm::e2e
