#include "serving/health_page.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ccm::serving {
namespace {

constexpr std::array<std::string_view, 3> kRoots = {"healthz", "livez", "readyz"};

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// A malformed escape stays as it is: it names no check.
std::string decode(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
               hex_value(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

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
    const std::string key = decode(pair.substr(0, equals));
    const std::string value =
        equals == std::string_view::npos ? std::string() : decode(pair.substr(equals + 1));
    if (key == "verbose") query.verbose = true;
    if (key != "exclude" || value.empty()) continue;
    if (std::find(query.excluded.begin(), query.excluded.end(), value) == query.excluded.end()) {
      query.excluded.push_back(value);
    }
  }
  return query;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return result + "\"";
}

// The exclusions that no check answers to, in one line; empty when there are none.
std::string unknown_exclusions(const Query& query,
                               const std::vector<HealthRegistry::Outcome>& outcomes) {
  std::string names;
  for (const std::string& name : query.excluded) {
    const bool known = std::any_of(outcomes.begin(), outcomes.end(),
                                   [&name](const auto& outcome) { return outcome.name == name; });
    if (!known) names += (names.empty() ? "" : ", ") + quoted(name);
  }
  if (names.empty()) return {};
  return "warn: some health checks cannot be excluded: no matches for " + names + "\n";
}

HealthRegistry::Scope scope_of(std::string_view root) {
  return root == "readyz" ? HealthRegistry::Scope::readiness : HealthRegistry::Scope::everywhere;
}

Answer all_checks(std::string_view root, const Query& query, const HealthRegistry& registry) {
  const auto outcomes = registry.run(query.excluded, scope_of(root));
  std::string lines;
  std::string failed;
  for (const auto& outcome : outcomes) {
    if (outcome.status.ok()) {
      lines += "[+]" + outcome.name + (outcome.excluded ? " excluded: ok\n" : " ok\n");
      continue;
    }
    lines += "[-]" + outcome.name + " failed: reason withheld\n";
    failed += (failed.empty() ? "" : ", ") + outcome.name + ": " + outcome.status.message();
  }
  lines += unknown_exclusions(query, outcomes);
  if (!failed.empty()) {
    log::warning("health check failed", {{"endpoint", root}, {"checks", failed}});
    return Answer{500, lines + std::string(root) + " check failed\n", {}};
  }
  if (!query.verbose) return Answer{200, "ok", {}};
  return Answer{200, lines + std::string(root) + " check passed\n", {}};
}

Answer one_check(std::string_view root, std::string_view name, const HealthRegistry& registry) {
  const Status status = registry.run_one(name, scope_of(root));
  if (status.ok()) return Answer{200, "ok", {}};
  if (status.code() == Code::not_found) return Answer{404, "404 page not found\n", {}};
  log::warning("health check failed",
               {{"endpoint", root}, {"check", name}, {"reason", status.message()}});
  return Answer{500, "internal server error: reason withheld\n", {}};
}

}  // namespace

Answer answer_request(std::string_view method, std::string_view target,
                      const HealthRegistry& registry) {
  const auto question = target.find('?');
  std::string_view path = target.substr(0, question);
  // The absolute form, which a proxy would send: its authority says nothing here.
  if (const auto scheme = path.find("://"); scheme != std::string_view::npos && path[0] != '/') {
    const auto start = path.find('/', scheme + 3);
    path = start == std::string_view::npos ? std::string_view("/") : path.substr(start);
  }
  for (const std::string_view root : kRoots) {
    if (path.substr(0, 1) != "/" || path.substr(1, root.size()) != root) continue;
    const std::string_view rest = path.substr(1 + root.size());
    const bool single = rest.size() > 1 && rest.front() == '/';
    if (!rest.empty() && !single) continue;
    if (method != "GET" && method != "HEAD")
      return Answer{405, "method not allowed\n", "GET, HEAD"};
    if (single) return one_check(root, decode(rest.substr(1)), registry);
    const Query query =
        question == std::string_view::npos ? Query() : parse_query(target.substr(question + 1));
    return all_checks(root, query, registry);
  }
  return Answer{404, "404 page not found\n", {}};
}

}  // namespace ccm::serving
