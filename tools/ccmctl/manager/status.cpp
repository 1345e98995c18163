// ccmctl status: the state of a running manager.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "leader.hpp"
#include "manager_query.hpp"
#include "object_text.hpp"

#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::ctl {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

struct StatusOptions {
  ManagerOptions manager;
  Format format = Format::table;
};

std::string spent_text(const json& budget) {
  std::string text;
  for (const auto& [controller, calls] : part(budget, "spentLastHour").items()) {
    text += (text.empty() ? "" : ", ") + printable(controller) + " " +
            printable(calls.dump(-1, ' ', true, json::error_handler_t::replace));
  }
  return text.empty() ? "none" : text;
}

// "ready" is said only of a provider whose cloud works.
std::string provider_state(const json& status) {
  const bool ready = part(status, "provider").value("ready", false);
  const json& cloud = part(status, "cloud");
  if (cloud.value("healthy", true)) return ready ? "ready" : "not ready";
  return (ready ? "" : "not ready: ") + member(cloud, "text");
}

void print_facts(const json& status) {
  const json& process = part(status, "process");
  const json& lease = part(status, "leaderElection");
  const json& provider = part(status, "provider");
  const bool leading = lease.value("leading", false);
  Rows rows{{"Version", member(process, "version") + " (" + member(process, "commit") + ")"},
            {"Started", member(process, "started")},
            {"Leading", std::string(leading ? "yes" : "no") +
                            (lease.contains("lease") ? ", Lease " + member(lease, "lease") : "") +
                            (lease.contains("identity") ? " as " + member(lease, "identity") : "")},
            {"Provider", member(provider, "name") + ", " + provider_state(status)}};
  if (lease.contains("migrationLease")) {
    rows.push_back({"Leader migration",
                    std::string(lease.value("leadingMigration", false) ? "leads" : "waits") +
                        ", Lease " + member(lease, "migrationLease")});
  }
  if (const std::string text = member(part(status, "permissions"), "text"); !text.empty()) {
    rows.push_back({"Permissions", text});
  }
  const json& endpoint = part(status, "endpoint");
  for (const auto& [name, title] : {std::pair("authentication", "Authentication"),
                                    std::pair("authorization", "Authorization")}) {
    if (const std::string text = member(endpoint, name); !text.empty()) {
      rows.push_back({title, text});
    }
  }
  for (const auto& [kind, brake] : part(status, "brake").items()) {
    rows.push_back({"Deletion brake, " + printable(kind), member(brake, "text")});
  }
  for (const json& budget : part(status, "budgets")) {
    const std::string left = member(budget, "left");
    std::string text =
        left.empty() ? "no limit told" : left + " of " + member(budget, "limit") + " left";
    if (budget.contains("resetsAt")) text += " until " + member(budget, "resetsAt");
    if (budget.value("keptForNodes", false)) {
      text += ", kept for new Nodes";
    } else if (budget.value("kept", false)) {
      text += ", kept for new Nodes and Services";
    }
    if (budget.contains("closedUntil")) text += ", closed until " + member(budget, "closedUntil");
    rows.push_back({"Cloud calls, " + member(budget, "credential"),
                    text + "; in the last hour: " + spent_text(budget)});
  }
  std::cout << align(rows);
}

void print_components(const json& status) {
  Rows rows{{"COMPONENT", "READY", "DELAYED", "RUNNING", "UNSETTLED", "STATE"}};
  for (const json& component : part(status, "components")) {
    const json& queue = part(component, "queue");
    std::string state = component.value("degraded", false) ? "degraded" : "ok";
    if (component.value("skipped", false)) state = "skipped: " + member(component, "reason");
    if (component.contains("troubledBy")) state = "held up by " + member(component, "troubledBy");
    if (component.contains("waitsFor")) state = "waits for " + member(component, "waitsFor");
    rows.push_back({member(component, "name"), member(queue, "ready"), member(queue, "delayed"),
                    member(queue, "running"), member(queue, "unsettled"), state});
  }
  std::cout << "\n" << align(rows);
}

// One block for each cause: thirty Nodes that are held for one reason are one.
void print_group(const json& group) {
  const auto text = [&group](const char* name) { return member(group, name); };
  std::string title = text("controller") + ": " + text("count") + " " + text("state");
  if (const std::string age = text("for"); !age.empty()) title += " for " + age;
  Rows rows;
  const auto add = [&rows](const char* name, const std::string& value) {
    if (!value.empty()) rows.push_back({std::string("  ") + name, value});
  };
  add("Waits for", text("waitsFor"));
  std::string kind = text("class");
  if (const std::string reason = text("reason"); !reason.empty()) {
    kind += (kind.empty() ? "" : ", ") + ("reason " + reason);
  }
  add("Class", kind);
  std::string keys;
  for (const json& key : part(group, "keys")) {
    if (key.is_string()) keys += (keys.empty() ? "" : ", ") + printable(key.get<std::string>());
  }
  add("Objects", keys);
  add("To release them", text("release"));
  std::cout << title << "\n" << align(rows);
}

void print_objects(const json& status) {
  const std::string now = member(part(status, "process"), "now");
  const json& groups = part(status, "groups");
  const bool known = part(status, "provider").value("ready", true);
  const char* empty = known ? "none" : "not known before the provider is ready";
  std::cout << "\nObjects that wait: " << (groups.empty() ? empty : "") << "\n";
  std::set<std::pair<std::string, std::string>> alone;
  for (const json& group : groups) {
    const json& keys = part(group, "keys");
    if (keys.size() > 1) {
      print_group(group);
    } else if (keys.size() == 1) {
      alone.emplace(member(group, "controller"), printable(keys[0].get<std::string>()));
    }
  }
  for (const json& object : part(status, "objects")) {
    if (!alone.contains({member(object, "controller"), member(object, "key")})) continue;
    std::cout << member(object, "controller") << " " << member(object, "key") << "\n"
              << object_text(object, now);
  }
}

void print(const StatusOptions& options, const json& status) {
  if (options.format == Format::json) {
    std::cout << json_text(status);
    return;
  }
  print_facts(status);
  print_components(status);
  print_objects(status);
}

// Problems that need an action, one line each.
std::vector<std::string> problems_of(const json& status) {
  std::vector<std::string> lines;
  for (const json& problem : part(status, "problems")) {
    if (problem.is_string()) lines.push_back(printable(problem.get<std::string>()));
  }
  return lines;
}

int show(const StatusOptions& options) {
  const auto status = ask_manager(options.manager, "/statusz");
  if (!status.ok()) {
    std::cerr << "ccmctl: " << printable(status.status().message()) << '\n';
    return kFault;
  }
  print(options, *status);
  std::cout.flush();  // the last lines are those that are read
  const auto problems = problems_of(*status);
  if (options.format == Format::table) {
    for (const std::string& problem : problems) std::cerr << "ccmctl: " << problem << '\n';
  }
  if (is_standby(*status)) {
    std::cerr << "ccmctl: " << standby_text(options.manager, *status) << '\n';
  }
  return problems.empty() ? kOk : kFault;
}

}  // namespace

void add_status(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "status",
      "Show how the manager that leads is: cloud, lease, deletion brake, cloud calls, queues,\n"
      "and the objects that wait, by their causes. Finds it by the Lease and reaches its Pod\n"
      "through the API server, as the user of a kubeconfig, who needs the verbs get on the Lease\n"
      "and on Pods, get and create on pods/portforward, and get on the non-resource URL\n"
      "/statusz. Exit code 1 when the cloud fails, or something has failed, is held by a brake or\n"
      "lacks a permission; the last lines, on standard error, say what.");
  const auto options = std::make_shared<StatusOptions>();
  add_manager_options(*command, options->manager);
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace ccm::ctl
