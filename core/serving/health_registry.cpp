#include "serving/health_registry.hpp"

#include <algorithm>
#include <exception>

namespace ccm::serving {
namespace {

constexpr std::string_view kPing = "ping";

Status run_safely(const HealthRegistry::Check& check) {
  try {
    return check();
  } catch (const std::exception& error) {
    return Status(Code::internal, std::string("the check threw: ") + error.what());
  } catch (...) {
    return Status(Code::internal, "the check threw");
  }
}

}  // namespace

std::shared_ptr<const HealthRegistry::List> HealthRegistry::snapshot() const {
  const std::lock_guard lock(mutex_);
  return checks_;
}

void HealthRegistry::set(std::string name, Check check, Scope scope) {
  const std::lock_guard lock(mutex_);
  auto changed = std::make_shared<List>(*checks_);
  const auto known = std::find_if(changed->begin(), changed->end(),
                                  [&name](const Entry& entry) { return entry.name == name; });
  if (known != changed->end()) {
    known->check = std::move(check);
    known->scope = scope;
  } else {
    changed->push_back(Entry{std::move(name), std::move(check), scope});
  }
  checks_ = std::move(changed);
}

void HealthRegistry::observe(Observer observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

void HealthRegistry::tell(const std::string& name, bool healthy) const {
  std::unique_lock lock(mutex_);
  const Observer observer = observer_;
  lock.unlock();
  if (observer) observer(name, healthy);
}

void HealthRegistry::set_note(std::string name, std::function<std::string()> text,
                              Readers readers) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(Note{std::move(name), std::move(text), readers});
}

std::vector<std::pair<std::string, std::string>> HealthRegistry::notes(Readers reader) const {
  std::unique_lock lock(mutex_);
  const auto known = notes_;
  lock.unlock();
  std::vector<std::pair<std::string, std::string>> result;
  for (const Note& note : known) {
    if (note.readers == Readers::informed && reader == Readers::anybody) continue;
    result.emplace_back(note.name, note.text());
  }
  return result;
}

std::vector<HealthRegistry::Outcome> HealthRegistry::run(const std::vector<std::string>& excluded,
                                                         Scope asked) const {
  const std::shared_ptr<const List> checks = snapshot();
  const auto is_excluded = [&excluded](std::string_view name) {
    return std::find(excluded.begin(), excluded.end(), name) != excluded.end();
  };
  std::vector<Outcome> outcomes;
  for (const Entry& entry : *checks) {
    if (!entry.concerns(asked)) continue;
    const bool skip = is_excluded(entry.name);
    outcomes.push_back(Outcome{entry.name, skip, skip ? Status() : run_safely(entry.check)});
    if (!skip) tell(entry.name, outcomes.back().status.ok());
  }
  if (outcomes.empty()) {
    outcomes.push_back(Outcome{std::string(kPing), is_excluded(kPing), Status()});
    tell(std::string(kPing), true);
  }
  return outcomes;
}

Status HealthRegistry::run_one(std::string_view name, Scope asked) const {
  const std::shared_ptr<const List> checks = snapshot();
  bool any = false;
  for (const Entry& entry : *checks) {
    if (!entry.concerns(asked)) continue;
    any = true;
    if (entry.name == name) return run_safely(entry.check);
  }
  if (!any && name == kPing) return {};
  return Status(Code::not_found, ErrorClass::not_found,
                "there is no health check named " + std::string(name));
}

}  // namespace ccm::serving
