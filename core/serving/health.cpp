#include "serving/health.hpp"

#include "base/log.hpp"
#include "net/url.hpp"

#include <prometheus/metric_family.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>

namespace ccm::serving {

namespace {

Status run_safely(const HealthRegistry::Check& check) {
  try {
    return check();
  } catch (const std::exception& error) {
    return Status(Code::internal, std::string("the check threw: ") + error.what());
  } catch (...) {
    return Status(Code::internal, "the check threw");
  }
}

constexpr std::array<std::string_view, 3> kRoots = {"healthz", "livez", "readyz"};

struct Query {
  bool verbose = false;
  std::vector<std::string> excluded;
};

Query read_query(const Request& request) {
  Query query;
  for (const auto& [name, value] : request.parameters()) {
    if (name == "verbose") query.verbose = true;
    const bool known = std::ranges::find(query.excluded, value) != query.excluded.end();
    if (name == "exclude" && !value.empty() && !known) query.excluded.push_back(value);
  }
  return query;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return result + "\"";
}

// The exclusions that match no check, in one line; empty when there are none.
std::string unknown_exclusions(const Query& query,
                               const std::vector<HealthRegistry::Outcome>& outcomes) {
  std::string names;
  for (const std::string& name : query.excluded) {
    const bool known =
        std::ranges::find(outcomes, name, &HealthRegistry::Outcome::name) != outcomes.end();
    if (!known) names += (names.empty() ? "" : ", ") + in_quotes(name);
  }
  if (names.empty()) return {};
  return "warn: some health checks cannot be excluded: no matches for " + names + "\n";
}

HealthRegistry::Scope scope_of(std::string_view root) {
  return root == "readyz" ? HealthRegistry::Scope::readiness : HealthRegistry::Scope::everywhere;
}

// Anybody may ask, as often as they like.
void complain(std::string_view root, std::string_view failed) {
  static thread_local log::Throttle complaints;
  if (const auto left_out = complaints.pass()) {
    log::warning("Health check failed",
                 {{"endpoint", root}, {"checks", failed}, {"leftOut", *left_out}});
  }
}

std::string note_lines(std::string_view root, const HealthRegistry& registry,
                       HealthRegistry::Readers reader) {
  if (scope_of(root) != HealthRegistry::Scope::readiness) return {};
  std::string lines;
  for (const auto& [name, text] : registry.notes(reader)) {
    lines += "[i]" + name + ": " + text + "\n";
  }
  return lines;
}

Answer all_checks(std::string_view root, const Query& query, HealthRegistry& registry,
                  HealthRegistry::Readers reader) {
  const bool informed = reader == HealthRegistry::Readers::informed;
  const auto outcomes = registry.run(query.excluded, scope_of(root));
  std::string lines;
  std::string failed;
  for (const auto& outcome : outcomes) {
    if (outcome.status.ok()) {
      lines += "[+]" + outcome.name + (outcome.excluded ? " excluded: ok\n" : " ok\n");
      continue;
    }
    lines += "[-]" + outcome.name +
             " failed: " + (informed ? outcome.status.message() : "reason withheld") + "\n";
    failed += (failed.empty() ? "" : ", ") + outcome.name + ": " + outcome.status.message();
  }
  lines += unknown_exclusions(query, outcomes);
  if (query.verbose) lines += note_lines(root, registry, reader);
  if (!failed.empty()) {
    complain(root, failed);
    return Answer{500, lines + std::string(root) + " check failed\n", {}};
  }
  if (!query.verbose) return Answer{200, "ok", {}};
  return Answer{200, lines + std::string(root) + " check passed\n", {}};
}

Answer single_check(std::string_view root, std::string_view name, const HealthRegistry& registry) {
  const Status status = registry.run_check(name, scope_of(root));
  if (status.ok()) return Answer{200, "ok", {}};
  if (status.code() == Code::not_found) return Answer{404, "404 page not found\n", {}};
  complain(root, std::string(name) + ": " + status.message());
  return Answer{500, "internal server error: reason withheld\n", {}};
}

}  // namespace

std::vector<HealthRegistry::Entry> HealthRegistry::checks_of(Scope asked) const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> chosen;
  std::ranges::copy_if(checks_, std::back_inserter(chosen), [asked](const Entry& entry) {
    return entry.scope == Scope::everywhere || asked == Scope::readiness;
  });
  // HOST-95.
  if (chosen.empty()) chosen.push_back({"ping", [] { return Status(); }, Scope::everywhere});
  return chosen;
}

void HealthRegistry::set(std::string name, Check check, Scope scope) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(checks_, name, &Entry::name);
  if (known != checks_.end()) {
    known->check = std::move(check);
    known->scope = scope;
  } else {
    checks_.push_back({std::move(name), std::move(check), scope});
  }
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
                                                         Scope asked) {
  std::vector<Outcome> outcomes;
  for (const Entry& entry : checks_of(asked)) {
    const bool skip = std::ranges::find(excluded, entry.name) != excluded.end();
    outcomes.push_back({entry.name, skip, skip ? Status() : run_safely(entry.check)});
  }
  const std::lock_guard lock(mutex_);
  for (const Outcome& outcome : outcomes) {
    if (outcome.excluded) continue;
    Counts& known = counts_[outcome.name];
    known.healthy = outcome.status.ok();
    ++(known.healthy ? known.successes : known.errors);
  }
  return outcomes;
}

Status HealthRegistry::run_check(std::string_view name, Scope asked) const {
  for (const Entry& entry : checks_of(asked)) {
    if (entry.name == name) return run_safely(entry.check);
  }
  return Status(Code::not_found, ErrorClass::not_found,
                "there is no health check named " + std::string(name));
}

Answer answer_health(std::string_view method, std::string_view target, HealthRegistry& registry,
                     HealthRegistry::Readers reader) {
  Request request;
  request.target = std::string(target);
  request.split_target();
  const std::string_view path = request.path;
  for (const std::string_view root : kRoots) {
    if (path.substr(0, 1) != "/" || path.substr(1, root.size()) != root) continue;
    const std::string_view rest = path.substr(1 + root.size());
    const bool single = rest.size() > 1 && rest.front() == '/';
    if (!rest.empty() && !single) continue;
    if (method != "GET" && method != "HEAD")
      return Answer{405, "method not allowed\n", "GET, HEAD"};
    if (single) return single_check(root, net::percent_decoded(rest.substr(1), true), registry);
    return all_checks(root, read_query(request), registry, reader);
  }
  return Answer{404, "404 page not found\n", {}};
}

void add_health_pages(Site* site, std::shared_ptr<HealthRegistry> registry) {
  for (const std::string_view root : kRoots) {
    site->add_with_parts("/" + std::string(root), [registry](const Request& request) {
      return answer_health(request.method, request.target, *registry,
                           request.sees_status ? HealthRegistry::Readers::informed
                                               : HealthRegistry::Readers::anybody);
    });
  }
}

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void HealthRegistry::reset_counts() {
  const std::lock_guard lock(mutex_);
  counts_.clear();
}

std::vector<MetricFamily> HealthRegistry::Collect() const {
  MetricFamily latest{"kubernetes_healthcheck",
                      "1 for a health check that was good at its last run.",
                      MetricType::Gauge,
                      {}};
  MetricFamily total{"kubernetes_healthchecks_total",
                     "Runs of health checks by outcome.",
                     MetricType::Counter,
                     {}};
  const auto counted = [&total](const std::string& check, const char* status, uint64_t runs) {
    if (runs == 0) return;
    ClientMetric series;
    series.label = {{"name", check}, {"status", status}, {"type", "healthz"}};
    series.counter.value = static_cast<double>(runs);
    total.metric.push_back(std::move(series));
  };
  const std::lock_guard lock(mutex_);
  if (counts_.empty()) return {};
  for (const auto& [name, check] : counts_) {
    ClientMetric series;
    series.label = {{"name", name}, {"type", "healthz"}};
    series.gauge.value = check.healthy ? 1 : 0;
    latest.metric.push_back(std::move(series));
    counted(name, "success", check.successes);
    counted(name, "error", check.errors);
  }
  return {std::move(latest), std::move(total)};
}

}  // namespace ccm::serving
