// ccmctl explain: why an object is not settled yet, or when it was.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "leader.hpp"
#include "manager_query.hpp"
#include "object_text.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace ccm::ctl {
namespace {

using nlohmann::json;

struct ExplainOptions {
  ManagerOptions manager;
  std::string object;
  Format format = Format::table;
};

// The object in question, and where a manager knows of it.
struct Subject {
  std::string kind;   // "node", "service", "route"
  std::string key;    // its key in controllers' queues
  std::string query;  // of /statusz
  std::string watched;
};

std::optional<Subject> read_subject(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string kind = text.substr(0, slash);
  const std::string name = text.substr(slash + 1);
  const auto slashes = std::count(name.begin(), name.end(), '/');
  if (name.empty() || name.front() == '/' || name.back() == '/') return std::nullopt;
  if ((kind == "node" || kind == "nodes" || kind == "no") && slashes == 0) {
    return Subject{"node", name, "?limit=0&object=" + percent_encode(name), "v1/nodes"};
  }
  if ((kind == "service" || kind == "services" || kind == "svc") && slashes == 1) {
    return Subject{"service", name, "?limit=0&object=" + percent_encode(name), "v1/services"};
  }
  if ((kind == "route" || kind == "routes") && slashes == 0) {
    return Subject{"route", name, "?limit=0&object=routes&route=" + percent_encode(name),
                   "v1/nodes"};
  }
  return std::nullopt;
}

// The controllers that use such keys for such objects.
std::set<std::string> controllers_of(const json& status, const Subject& subject) {
  std::set<std::string> names;
  for (const json& component : status.at("components")) {
    const auto watches = component.find("watches");
    if (watches == component.end()) continue;
    const bool fits =
        std::find(watches->begin(), watches->end(), subject.watched) != watches->end();
    if (fits) names.insert(component.value("name", ""));
  }
  return names;
}

// Why the first of these controllers that does not run has to wait; empty when all run.
std::string holdup(const json& status, const std::set<std::string>& controllers) {
  for (const json& component : status.at("components")) {
    if (controllers.count(component.value("name", "")) == 0) continue;
    std::string waits = member(component, "waitsFor");
    if (!waits.empty()) return waits;
  }
  return {};
}

// These controllers' records of the object; for a route, of the comparison of all routes.
std::vector<json> reports_of(const json& status, const std::set<std::string>& controllers) {
  std::vector<json> reports;
  for (const json& object : part(part(status, "object"), "controllers")) {
    const bool known = object.value("state", "unknown") != "unknown";
    if (known && controllers.count(object.value("controller", "")) > 0) reports.push_back(object);
  }
  return reports;
}

void print_objects(const json& status, const std::vector<json>& reports) {
  const std::string now = member(part(status, "process"), "now");
  for (const json& object : reports) {
    std::cout << member(object, "controller") << " " << member(object, "key") << "\n"
              << object_text(object, now);
  }
}

// Other knowledge about the object itself.
void print_notes(const json& status, const Subject& subject) {
  const std::string now = member(part(status, "process"), "now");
  const json& asked = part(status, "object");
  if (subject.kind == "service" && asked.contains("loadBalancer")) {
    std::cout << "load balancer of " << printable(subject.key) << "\n"
              << load_balancer_text(part(asked, "loadBalancer"), now);
  }
  const std::string kind = subject.kind == "service" ? "Service" : "Node";
  const std::string warnings = warnings_text(part(asked, "warnings"), kind, now);
  if (!warnings.empty()) std::cout << "warnings\n" << warnings;
}

const json& routes_of(const json& status) { return part(part(status, "routes"), "routes"); }

void print_routes(const json& status, const Subject& subject) {
  const std::string now = member(part(status, "process"), "now");
  for (const json& route : routes_of(status)) {
    std::cout << "route of " << printable(subject.key) << " to " << member(route, "destination")
              << "\n"
              << object_text(route, now);
  }
  if (routes_of(status).empty()) {
    std::cout << "no route of " << printable(subject.key) << " is known\n";
  }
}

int nothing_known(const json& status, const Subject& subject,
                  const std::set<std::string>& controllers) {
  const std::string what = subject.kind + "/" + printable(subject.key);
  if (!part(status, "provider").value("ready", true)) {
    const json& cloud = part(status, "cloud");
    const std::string fault = cloud.value("healthy", true) ? "" : member(cloud, "text");
    std::cerr << "ccmctl: nothing is known of " << what
              << ": the controllers begin when the provider is ready"
              << (fault.empty() ? "" : "; " + fault) << '\n';
    return kFault;
  }
  if (controllers.empty()) {
    std::cerr << "ccmctl: no controller of this manager handles a " << subject.kind << '\n';
    return kFault;
  }
  const std::string waits = holdup(status, controllers);
  if (!waits.empty()) {
    std::cerr << "ccmctl: nothing is known of " << what << ": the manager still waits for " << waits
              << '\n';
  } else {
    std::cerr << "ccmctl: nothing is known of " << what << " since this manager started ("
              << member(status.at("process"), "started")
              << "): it does not exist, or needs nothing of the cloud\n";
  }
  return kFault;
}

// A standby reconciles nothing: its records of an object would mislead.
int nothing_known_to_standby(const ManagerOptions& manager, const json& status,
                             const Subject& subject) {
  std::cout.flush();  // the last line is the one that is read
  std::cerr << "ccmctl: nothing is known of " << subject.kind << "/" << printable(subject.key)
            << ": " << standby_text(manager, status) << '\n';
  return kFault;
}

void print_json(const json& status) {
  json answer = {{"object", status.value("object", json::object())}};
  if (status.contains("routes")) answer["routes"] = status.at("routes");
  std::cout << json_text(answer);
}

int answer(const json& status, const Subject& subject, Format format) {
  const auto controllers = controllers_of(status, subject);
  const auto reports = reports_of(status, controllers);
  const bool route = subject.kind == "route";
  if (format == Format::json) {
    print_json(status);
  } else if (route) {
    print_routes(status, subject);
    print_objects(status, reports);
  } else {
    print_objects(status, reports);
    print_notes(status, subject);
  }
  const json& routes = routes_of(status);
  if (route ? routes.empty() : reports.empty()) return nothing_known(status, subject, controllers);
  const bool fault = std::any_of(reports.begin(), reports.end(), is_fault) ||
                     std::any_of(routes.begin(), routes.end(), is_fault);
  const bool left_alone = std::any_of(reports.begin(), reports.end(), [](const json& object) {
    return object.value("state", "") == "left-alone";
  });
  return fault || left_alone ? kFault : kOk;
}

int explain(const ExplainOptions& options) {
  const auto subject = read_subject(options.object);
  if (!subject) {
    std::cerr << "ccmctl: \"" << printable(options.object)
              << "\" is none of node/NAME, service/NAMESPACE/NAME, route/NODE\n";
    return kUsage;
  }
  const auto status = ask_manager(options.manager, "/statusz" + subject->query);
  if (!status.ok()) {
    std::cerr << "ccmctl: " << printable(status.status().message()) << '\n';
    return kFault;
  }
  if (!is_standby(*status)) return answer(*status, *subject, options.format);
  if (options.format == Format::json) print_json(*status);
  return nothing_known_to_standby(options.manager, *status, *subject);
}

}  // namespace

void add_explain(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "explain",
      "Say what an object waits for: its step, since when, the cloud's last answer with class and\n"
      "request id, and the next try; or that it is settled, and since when. Of a Service also its\n"
      "load balancer's id and addresses; of Nodes and Services the last warnings. Asks a running "
      "manager as\n"
      "`ccmctl status` does; only the one that leads knows anything. Exit code 1 when it has\n"
      "failed, lacks a permission, is held by the deletion brake or left alone, or when nothing "
      "is\n"
      "known of it.");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("OBJECT", options->object, "node/NAME, service/NAMESPACE/NAME or route/NODE")
      ->required()
      ->type_name("");
  add_manager_options(*command, options->manager);
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace ccm::ctl
