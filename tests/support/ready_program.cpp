#include "support/ready_program.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace ccm::support {

int run_ready_program(int argc, char** argv, const std::function<nlohmann::json()>& start) {
  if (argc != 3 || std::string_view(argv[1]) != "--directory") {
    std::fprintf(stderr, "usage: %s --directory DIR\n", argv[0]);
    return 2;
  }
  // Before the servers' threads, which inherit it.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  const nlohmann::json ready = start();
  const std::filesystem::path directory = argv[2];
  std::filesystem::create_directories(directory);
  // A process that waits for the file finds it whole.
  std::ofstream(directory / "ready.new") << ready.dump(2) << "\n";
  std::filesystem::rename(directory / "ready.new", directory / "ready");
  int received = 0;
  sigwait(&ends, &received);
  return 0;
}

}  // namespace ccm::support
