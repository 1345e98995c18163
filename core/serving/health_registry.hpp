// Named health checks of the process: the leader election's, and one per started controller
// (HOST-95). Any thread.
#pragma once

#include <ccm/status.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::serving {

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

}  // namespace ccm::serving
