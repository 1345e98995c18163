#include "app/ending.hpp"
#include "app/program.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  try {
    const std::string program =
        std::filesystem::path(argc > 0 ? argv[0] : "cloud-controller-manager").filename();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return ccm::app::run_program(program, arguments);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "Error: %s\n", fault.what());
    return ccm::app::kExitFatal;
  }
}
