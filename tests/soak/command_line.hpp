// The command line of a soak, and its exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>

namespace ccm::soak {

// 0: `all(seed)` was true; 1: it was not, or it threw; 2: the command line is wrong. Prints the
// seed, which is a random one unless `seed`, an option of `app`, names one.
template <typename All>
int run_command(CLI::App& app, int argc, char** argv, const uint32_t& seed, const char* program,
                All all) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const uint32_t chosen = seed != 0 ? seed : std::random_device{}();
  std::printf("--seed=%u\n", chosen);
  try {
    return all(chosen) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace ccm::soak
