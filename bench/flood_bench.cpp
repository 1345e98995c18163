// Measures the effect of clients without credentials on a manager: its processor time and memory,
// and the waits of clients with a right and of probes from another address. Usage: bench/run.
#include "bare_client.hpp"
#include "endpoint.hpp"
#include "flood.hpp"
#include "lease_watch.hpp"

#include <CLI/CLI.hpp>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ccm::bench {
namespace {

struct Settings {
  ManagerSettings manager;
  std::vector<std::string> kinds;
  unsigned seconds = 10;
  unsigned threads = 2;
  int nice = 0;
  std::uint16_t port = 0;
};

// How long each of many waited.
struct Waits {
  std::vector<double> times;
  std::size_t failures = 0;

  template <typename Ask>
  void measure(Ask ask) {
    const auto start = Clock::now();
    if (!ask()) ++failures;
    times.push_back(milliseconds_since(start));
  }
  // Median and longest.
  [[nodiscard]] std::string text() {
    if (times.empty()) return "-";
    std::sort(times.begin(), times.end());
    char text[64];
    std::snprintf(text, sizeof text, "%.1f / %.0f", times[times.size() / 2], times.back());
    return failures == 0 ? text : std::string(text) + ", " + std::to_string(failures) + " failed";
  }
};

void reset_highest_memory(int pid) {
  std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

// Over the kept connection; when that is gone, over the next one.
bool scraped(std::unique_ptr<Connection>& kept, const Server& endpoint, const BareRequest& scrape) {
  try {
    if (!kept) kept = std::make_unique<Connection>(endpoint);
    return !kept->send(scrape).empty();
  } catch (const std::exception&) {
    kept.reset();
    return false;
  }
}

// One row; `kind` empty: nobody floods.
void measure(const Settings& settings, const Manager& manager, const Server& endpoint,
             const Server& admin, const std::string& kind) {
  const auto port = static_cast<std::uint16_t>(std::stoi(endpoint.port));
  const BareRequest scrape{"GET", "/metrics", "", ""};
  auto scraper = std::make_unique<Connection>(endpoint);
  scraper->send(scrape);
  LeaseWatch lease(admin);
  Waits probes;
  Waits scrapes;
  reset_highest_memory(manager.pid());
  const double memory = manager.megabytes("VmRSS:");
  const double busy = manager.cpu_seconds();
  std::unique_ptr<Flood> flood;
  if (!kind.empty()) flood = std::make_unique<Flood>(kind, port, settings.threads, settings.nice);
  const auto start = Clock::now();
  auto next_scrape = start;
  while (Clock::now() - start < std::chrono::seconds(settings.seconds)) {
    probes.measure([&] { return probe(port, "127.0.0.2"); });
    if (Clock::now() >= next_scrape) {
      scrapes.measure([&] { return scraped(scraper, endpoint, scrape); });
      next_scrape += std::chrono::seconds(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const double seconds = milliseconds_since(start) / 1000;
  const double rate = flood ? static_cast<double>(flood->done()) / seconds : 0;
  const double used = manager.cpu_seconds() - busy;
  const double highest = manager.megabytes("VmHWM:");
  flood.reset();
  std::printf("| %-13s | %9.0f | %9.1f %% | %8.1f | %-22s | %-14s | %10.0f |\n",
              kind.empty() ? "none" : kind.c_str(), rate, 100 * used / seconds, highest - memory,
              probes.text().c_str(), scrapes.text().c_str(), lease.end().count());
  std::fflush(stdout);
}

void run(Settings settings) {
  const Server admin = server_of(settings.manager.kubeconfig);
  const Endpoint endpoint(settings.manager);
  settings.manager.flags = endpoint.flags();
  settings.manager.flags.push_back("--configure-cloud-routes=false");
  Manager manager(settings.manager);
  (void)manager.await_log({"\"Leading\"", "Caches are synced"});
  std::this_thread::sleep_for(std::chrono::seconds(8));  // startup-only memory is given back
  const Server server = endpoint.server(admin);
  std::printf("Floods of %u threads for %u s each. In ms: median / longest\n", settings.threads,
              settings.seconds);
  std::printf(
      "| flood | done a second | processor | MB more | probe from another address | "
      "scrape | Lease renewed after at most |\n| --- | ---: | ---: | ---: | --- | --- | ---: |\n");
  measure(settings, manager, server, admin, "");
  for (const std::string& kind : settings.kinds) {
    measure(settings, manager, server, admin, kind);
    std::this_thread::sleep_for(std::chrono::seconds(3));
  }
  manager.end(SIGTERM);
}

// Against a manager that another program measures.
void only_flood(const Settings& settings) {
  const Flood flood(settings.kinds.at(0), settings.port, settings.threads, settings.nice);
  std::this_thread::sleep_for(std::chrono::seconds(settings.seconds));
  std::printf("%s: %.0f a second\n", settings.kinds.at(0).c_str(),
              static_cast<double>(flood.done()) / settings.seconds);
}

}  // namespace
}  // namespace ccm::bench

int main(int argc, char** argv) {
  ccm::bench::Settings settings;
  settings.kinds = ccm::bench::flood_kinds();
  CLI::App app("Measures the effect of clients without credentials on a manager");
  auto* const measured = app.add_subcommand("measure", "starts a manager and prints a table");
  settings.manager.add_options(*measured);
  auto* const alone = app.add_subcommand("flood", "floods a manager that is there");
  alone->add_option("--port", settings.port, "of its endpoint on 127.0.0.1")->required();
  for (CLI::App* command : {measured, alone}) {
    command->add_option("--kinds", settings.kinds, "which floods; one for \"flood\"")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--seconds", settings.seconds, "of each")->capture_default_str();
    command->add_option("--nice", settings.nice, "of those threads")->capture_default_str();
    command->add_option("--threads", settings.threads, "that flood")->capture_default_str();
  }
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  try {
    alone->parsed() ? ccm::bench::only_flood(settings) : ccm::bench::run(settings);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "flood_bench: %s\n", fault.what());
    return 1;
  }
  return 0;
}
