// Health checks of the process: the leader election's, one per controller that was set up
// (HOST-95), and one per component for /readyz; their pages and metrics.
#pragma once

#include "serving/message.hpp"
#include "serving/site.hpp"

#include <ccm/status.hpp>

#include <prometheus/collectable.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::serving {

// Named checks, and the results of their runs for /metrics/slis (MET-45). Any thread.
class HealthRegistry final : public prometheus::Collectable {
 public:
  // Ok = healthy. Called on the server's thread for each request, so it must not block; an
  // exception counts as a failure.
  using Check = std::function<Status()>;

  // The pages that show a check. A degraded part should be seen, but is no reason to kill the
  // process: that would take the rest down with it.
  enum class Scope { everywhere, readiness };

  struct Outcome {
    std::string name;
    bool excluded = false;
    Status status;  // the reason is for the log, and for clients that may get /statusz
  };

  // Adds a check or replaces the one of that name. Checks show in the order of their first set().
  void set(std::string name, Check check, Scope scope = Scope::everywhere);

  // A line for people that fails nothing: "[i]deletion-brake: ..." in /readyz?verbose. Visible to
  // anybody, or only to clients that may see reasons.
  enum class Readers { anybody, informed };
  void set_note(std::string name, std::function<std::string()> text,
                Readers readers = Readers::anybody);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes(Readers reader) const;

  // Runs and counts all checks but the excluded ones; `asked` everywhere leaves out those of the
  // readiness. Without any check there is the check "ping", which passes whenever the process
  // answers (HOST-95).
  [[nodiscard]] std::vector<Outcome> run(const std::vector<std::string>& excluded = {},
                                         Scope asked = Scope::everywhere);

  // Runs one check; not_found when there is none of that name.
  [[nodiscard]] Status run_check(std::string_view name, Scope asked = Scope::everywhere) const;

  void reset_counts();  // HOST-99
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Entry {
    std::string name;
    Check check;
    Scope scope;
  };
  struct Note {
    std::string name;
    std::function<std::string()> text;
    Readers readers;
  };
  struct Counts {
    bool healthy = false;
    uint64_t successes = 0;
    uint64_t errors = 0;
  };
  [[nodiscard]] std::vector<Entry> checks_of(Scope asked) const;

  mutable std::mutex mutex_;  // not held while a check runs
  std::vector<Entry> checks_;
  std::vector<Note> notes_;
  std::map<std::string, Counts> counts_;  // by name of the check
};

// The health pages. Pure apart from the checks that run; the server's thread.

// `method` and `target` as in the request line. Routes /healthz, /livez and /readyz with ?verbose
// and ?exclude=name (HOST-94), and /healthz/<name> for one check; everything else is 404. Failing
// checks are logged with their reason, which a reader with the right sees too. /readyz?verbose
// shows the registry's notes.
Answer answer_health(std::string_view method, std::string_view target, HealthRegistry& registry,
                     HealthRegistry::Readers reader = HealthRegistry::Readers::anybody);

// Adds the three pages with one for each check.
void add_health_pages(Site* site, std::shared_ptr<HealthRegistry> registry);

}  // namespace ccm::serving
