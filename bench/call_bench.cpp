// Measures the processor time of a call into a plugin and back: an operation with its ctx,
// deadline, completion and delivery, of a plugin that blocks and of one that does not; a plain
// function of the plugin; and a function of the host that the plugin calls.
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/scheduling_services.hpp"
#include "plugin/live_component.hpp"
#include "runtime/event_loop.hpp"

#include <ccm/sized.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

namespace ccm::bench {
namespace {

using plugin::ComponentIdentity;
using plugin::LiveComponent;
using plugin::Nothing;

constexpr std::size_t kCalls = 50'000;

// Processor time of all threads.
double processor_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}
double nanoseconds_of_each(double start) { return (processor_nanoseconds() - start) / kCalls; }

// The plugin: it completes within the call.
void complete_at_once(ccm_completion done) {
  const auto ok = sized<ccm_status>();
  done.fn(done.owner, done.operation, &ok, nullptr);
}

ccm_bool no_interface(void*, const char*, ccm_interface*) { return 0; }

void make_component(void*, ccm_ctx, const ccm_create_request*, ccm_completion done) {
  auto component = sized<ccm_component>();
  component.get_interface = &no_interface;
  component.destroy = [](void*) {};
  const auto ok = sized<ccm_status>();
  done.fn(done.owner, done.operation, &ok, &component);
}

class Host {
 public:
  explicit Host(bool nonblocking) : host_(nonblocking) {
    ComponentIdentity identity;
    identity.plugin_id = "bench";
    identity.name = "bench";
    identity.nonblocking = nonblocking;
    identity.max_parallel = 2;
    component_ = std::make_shared<LiveComponent>(runtime_, identity);
    host_.add(std::make_unique<plugin::CtxService>(component_));
    auto table = sized<ccm_plugin>();
    table.create = &make_component;
    bool created = false;
    component_->create(table, nullptr, host_.host(),
                       [&](const Status& status) { created = status.ok(); });
    while (!created) loop_.poll();
  }
  ~Host() {
    bool ended = false;
    component_->destroy(std::chrono::seconds(1), [&](const Status&) { ended = true; });
    while (!ended) loop_.poll();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // The time of each of `kCalls` operations, `at_once` of which are always under way.
  double operations(std::size_t at_once) {
    std::size_t begun = 0;
    std::size_t ended = 0;
    std::function<void()> next = [&] {
      if (begun == kCalls) return;
      ++begun;
      component_->call<Nothing>(
          "bench", nullptr, std::chrono::seconds(30), {},
          [](ccm_ctx, ccm_completion done) { complete_at_once(done); }, plugin::copy_nothing,
          [&](const Result<Nothing>&) {
            ++ended;
            next();
          });
    };
    const double start = processor_nanoseconds();
    loop_.post([&] {
      for (std::size_t i = 0; i < at_once; ++i) next();
    });
    while (ended < kCalls) loop_.run_for(std::chrono::milliseconds(1));
    return nanoseconds_of_each(start);
  }

  double functions_of_plugin() {
    const double start = processor_nanoseconds();
    for (std::size_t i = 0; i < kCalls; ++i) component_->get_interface("ccm.none/1");
    return nanoseconds_of_each(start);
  }

  // A function of the host: the time that is left of the operation's ctx.
  double functions_of_host() {
    double nanoseconds = 0;
    bool ended = false;
    const auto ask = [&](ccm_ctx ctx, ccm_completion done) {
      ccm_interface found{};
      host_.host()->get_interface(host_.host()->self, CCM_HOST_CTX, &found);
      const auto* table = static_cast<const ccm_host_ctx*>(found.table);
      int64_t least = INT64_MAX;
      const double start = processor_nanoseconds();
      for (std::size_t i = 0; i < kCalls; ++i) {
        least = std::min(least, table->remaining_ms(found.self, ctx));
      }
      nanoseconds = nanoseconds_of_each(start);
      if (least <= 0) nanoseconds = -1;  // keeps the calls from being left out
      complete_at_once(done);
    };
    component_->call<Nothing>("bench", nullptr, std::chrono::seconds(30), {}, ask,
                              plugin::copy_nothing, [&](const Result<Nothing>&) { ended = true; });
    while (!ended) loop_.poll();
    return nanoseconds;
  }

 private:
  runtime::EventLoop loop_;
  runtime::WorkerPool workers_;
  runtime::Watchdog watchdog_{loop_.timers(), [](const runtime::Watchdog::Stall&) {}};
  plugin::CompletionTable completions_{loop_};
  plugin::ComponentRuntime runtime_{loop_, loop_.timers(), workers_, watchdog_, completions_, {}};
  plugin::ComponentHost host_;
  std::shared_ptr<LiveComponent> component_;
};

// The best of some rounds: others use the machine and its caches too.
double best_of(const std::function<double()>& round) {
  double best = round();
  for (int again = 0; again < 4; ++again) best = std::min(best, round());
  return best;
}

void print_line(const char* what, double nanoseconds) {
  std::printf("| %-60s | %8.0f ns |\n", what, nanoseconds);
}

}  // namespace
}  // namespace ccm::bench

int main() {
  using namespace ccm::bench;  // NOLINT: its own
  Host nonblocking(true);
  Host blocking(false);
  const auto one = [](Host& host) { return [&host] { return host.operations(1); }; };
  const auto many = [](Host& host) { return [&host] { return host.operations(64); }; };
  print_line("an operation of a non-blocking plugin, and its completion",
             best_of(one(nonblocking)));
  print_line("the same, 64 at once", best_of(many(nonblocking)));
  print_line("an operation of a blocking plugin, on a worker", best_of(one(blocking)));
  print_line("the same, 64 at once on 2 workers", best_of(many(blocking)));
  print_line("a function of the plugin",
             best_of([&] { return nonblocking.functions_of_plugin(); }));
  print_line("a function of the host: the time that a ctx has left",
             best_of([&] { return nonblocking.functions_of_host(); }));
  return 0;
}
