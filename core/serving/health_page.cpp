#include "serving/health_page.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ccm::serving {
namespace {

constexpr std::array<std::string_view, 3> kRoots = {"healthz", "livez", "readyz"};

struct Query {
  bool verbose = false;
  std::vector<std::string> excluded;
};

Query parse_query(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const auto end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const auto equals = pair.find('=');
    const std::string key = percent_decode(pair.substr(0, equals), true);
    const std::string value = equals == std::string_view::npos
                                  ? std::string()
                                  : percent_decode(pair.substr(equals + 1), true);
    if (key == "verbose") query.verbose = true;
    if (key != "exclude" || value.empty()) continue;
    if (std::find(query.excluded.begin(), query.excluded.end(), value) == query.excluded.end()) {
      query.excluded.push_back(value);
    }
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
    const bool known = std::any_of(outcomes.begin(), outcomes.end(),
                                   [&name](const auto& outcome) { return outcome.name == name; });
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

Answer all_checks(std::string_view root, const Query& query, const HealthRegistry& registry,
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

Answer one_check(std::string_view root, std::string_view name, const HealthRegistry& registry) {
  const Status status = registry.run_one(name, scope_of(root));
  if (status.ok()) return Answer{200, "ok", {}};
  if (status.code() == Code::not_found) return Answer{404, "404 page not found\n", {}};
  complain(root, std::string(name) + ": " + status.message());
  return Answer{500, "internal server error: reason withheld\n", {}};
}

}  // namespace

Answer answer_health(std::string_view method, std::string_view target,
                     const HealthRegistry& registry, HealthRegistry::Readers reader) {
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
    if (single) return one_check(root, percent_decode(rest.substr(1), true), registry);
    return all_checks(root, parse_query(request.query), registry, reader);
  }
  return Answer{404, "404 page not found\n", {}};
}

void add_health_pages(Site* site, std::shared_ptr<const HealthRegistry> registry) {
  for (const std::string_view root : kRoots) {
    site->add_with_parts("/" + std::string(root), [registry](const Request& request) {
      return answer_health(request.method, request.target, *registry,
                           request.sees_status ? HealthRegistry::Readers::informed
                                               : HealthRegistry::Readers::anybody);
    });
  }
}

}  // namespace ccm::serving
