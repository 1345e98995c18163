// Health checks of the process: the leader election's, and one per started controller (HOST-95);
// their pages and metrics.
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

// Named checks. Any thread.
class HealthRegistry {
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

  // Called for every check that ran, for metrics; at most one. `run` and `run_one` call it.
  using Observer = std::function<void(const std::string& name, bool healthy)>;
  void observe(Observer observer);

  // A line for people that fails nothing: "[i]deletion-brake: ..." in /readyz?verbose. Visible to
  // anybody, or only to clients that may see reasons.
  enum class Readers { anybody, informed };
  void set_note(std::string name, std::function<std::string()> text,
                Readers readers = Readers::anybody);
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes(Readers reader) const;

  // Runs all checks but the excluded ones; `asked` everywhere leaves out those of the readiness.
  // Without any check there is the check "ping", which passes whenever the process answers
  // (HOST-95).
  [[nodiscard]] std::vector<Outcome> run(const std::vector<std::string>& excluded = {},
                                         Scope asked = Scope::everywhere) const;

  // Runs one check; not_found when there is none of that name.
  [[nodiscard]] Status run_one(std::string_view name, Scope asked = Scope::everywhere) const;

 private:
  struct Entry {
    std::string name;
    Check check;
    Scope scope;
    [[nodiscard]] bool concerns(Scope asked) const {
      return scope == Scope::everywhere || asked == Scope::readiness;
    }
  };
  using List = std::vector<Entry>;
  [[nodiscard]] std::shared_ptr<const List> snapshot() const;

  void tell(const std::string& name, bool healthy) const;

  mutable std::mutex mutex_;
  Observer observer_;
  struct Note {
    std::string name;
    std::function<std::string()> text;
    Readers readers;
  };
  std::vector<Note> notes_;
  // Never changed in place: a check may run while another thread adds one.
  std::shared_ptr<const List> checks_ = std::make_shared<const List>();
};

// The health pages. Pure apart from the checks that run; the server's thread.

// `method` and `target` as in the request line. Routes /healthz, /livez and /readyz with ?verbose
// and ?exclude=name (HOST-94), and /healthz/<name> for one check; everything else is 404. Failing
// checks are logged with their reason, which a reader with the right sees too. /readyz?verbose
// shows the registry's notes.
Answer answer_health(std::string_view method, std::string_view target,
                     const HealthRegistry& registry,
                     HealthRegistry::Readers reader = HealthRegistry::Readers::anybody);

// Adds the three pages with one for each check.
void add_health_pages(Site* site, std::shared_ptr<const HealthRegistry> registry);

// The results of the health checks, for /metrics/slis (MET-45). Any thread.
class HealthMetrics final : public prometheus::Collectable {
 public:
  void record(const std::string& check, bool healthy);
  void reset();  // HOST-99
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Counts {
    bool healthy = false;
    uint64_t successes = 0;
    uint64_t errors = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Counts> checks_;
};

}  // namespace ccm::serving
