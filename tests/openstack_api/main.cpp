// The fake of OpenStack's APIs as a program:   openstack-api --directory DIR
// Writes DIR/ready (JSON) once it answers: what services.py of tests/openstack writes, and
// "control", the URL that control.hpp tells of. Ends at SIGTERM or SIGINT.
#include "openstack_api/control.hpp"
#include "openstack_api/server.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--directory") {
    std::fprintf(stderr, "usage: %s --directory DIR\n", argv[0]);
    return 2;
  }
  // Before the server's threads, which inherit it.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  const ccm::openstack_api::Server server(&ccm::openstack_api::control);
  nlohmann::json ready = server.facts();
  ready["control"] = server.url() + "/control";
  const std::filesystem::path directory = argv[2];
  std::filesystem::create_directories(directory);
  // Whoever waits for the file finds it whole.
  std::ofstream(directory / "ready.new") << ready.dump(2) << "\n";
  std::filesystem::rename(directory / "ready.new", directory / "ready");
  int received = 0;
  sigwait(&ends, &received);
  return 0;
}
