// ccmctl status: the state of a running manager.
#include "commands.hpp"
#include "leader.hpp"
#include "manager_query.hpp"
#include "object_text.hpp"
#include "output.hpp"

#include <iostream>
#include <map>
#include <memory>
#include <string>
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
            {"Provider", member(provider, "name") +
                             (provider.value("ready", false) ? ", ready" : ", not ready")}};
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
    if (component.contains("waitsFor")) state = "waits for " + member(component, "waitsFor");
    rows.push_back({member(component, "name"), member(queue, "ready"), member(queue, "delayed"),
                    member(queue, "running"), member(queue, "unsettled"), state});
  }
  std::cout << "\n" << align(rows);
}

void print_objects(const json& status) {
  const std::string now = member(part(status, "process"), "now");
  const json& objects = part(status, "objects");
  std::cout << "\nObjects that wait: " << (objects.empty() ? "none" : "") << "\n";
  for (const json& object : objects) {
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
std::vector<std::string> faults_of(const json& status) {
  std::vector<std::string> lines;
  for (const auto& [who, what] : part(part(status, "permissions"), "missing").items()) {
    lines.push_back(printable(who) + " lacks " +
                    printable(what.is_string() ? what.get<std::string>() : what.dump()) +
                    "; ccmctl rbac prints the roles that it needs");
  }
  for (const json& component : part(status, "components")) {
    if (!component.value("degraded", false)) continue;
    lines.push_back(member(component, "name") +
                    " is degraded: it stalls the manager or misses its deadlines; the log says "
                    "what it was doing");
  }
  for (const auto& [kind, brake] : part(status, "brake").items()) {
    if (!brake.value("engaged", false)) continue;
    lines.push_back("the deletion brake on " + printable(kind) + " holds " + member(brake, "held"));
  }
  std::map<std::string, int> objects;  // by state
  for (const json& object : part(status, "objects")) {
    const std::string state = member(object, "state");
    if (is_fault(object) && state != "queued") ++objects[state];  // that lacks a permission
  }
  std::string text;
  for (const auto& [state, count] : objects) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  }
  if (!text.empty()) lines.push_back("objects that are not settled: " + text);
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
  const auto faults = faults_of(*status);
  if (options.format == Format::table) {
    for (const std::string& fault : faults) std::cerr << "ccmctl: " << fault << '\n';
  }
  if (is_standby(*status)) {
    std::cerr << "ccmctl: " << standby_text(options.manager, *status) << '\n';
  }
  return faults.empty() ? kOk : kFault;
}

}  // namespace

void add_status(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "status",
      "Show how a running manager is: lease, provider, deletion brake, cloud calls, queues, and\n"
      "the objects that wait. Asks its secure port as the user of a kubeconfig, who needs the "
      "verb\n"
      "get on the non-resource URL /statusz. Exit code 1 when something has failed, is held by "
      "the\n"
      "deletion brake or lacks a permission; the last lines, on standard error, say what.");
  const auto options = std::make_shared<StatusOptions>();
  add_manager_options(*command, options->manager);
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace ccm::ctl
