#include "app/status/status_text.hpp"

#include "base/duration.hpp"
#include "kube/time_text.hpp"
#include "serving/pages.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace ccm::app {

namespace {

constexpr std::string_view kCommand = "kubectl annotate ";

const StatusJson& part(const StatusJson& object, const char* name) {
  static const auto* const kNothing = new StatusJson(StatusJson::object());
  const auto place = object.find(name);
  return place == object.end() ? *kNothing : *place;
}

std::string text_of(const StatusJson& object, const char* name) {
  const auto place = object.find(name);
  return place == object.end() ? std::string() : plain(*place);
}

std::string age_text(const std::string& since, std::string_view now) {
  const auto begin = kube::parse_time(since);
  const auto end = kube::parse_time(now);
  return begin && end ? short_duration(*end - *begin) : std::string();
}

// The object's own name in a message, which tells it from others with the same cause.
std::string without_name(std::string text, const std::string& key) {
  const std::string name = key.substr(key.rfind('/') + 1);
  if (name.size() < 2) return text;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
    text.replace(at, name.size(), "*");
  }
  return text;
}

// A message's command, and the text before the words that lead to it.
std::pair<std::string, std::string> split_command(const std::string& message) {
  const std::size_t at = message.find(kCommand);
  if (at == std::string::npos) return {message, {}};
  std::size_t end = at;
  for (const char* separator : {". ", "; ", ", "}) {
    const std::size_t place = message.rfind(separator, at);
    if (place != std::string::npos && (end == at || place > end)) end = place;
  }
  return {message.substr(0, end), message.substr(at)};
}

struct Group {
  StatusJson json;  // its first object's
  std::string cause;
  std::map<std::string, std::string> commands;  // by key; empty: it has none
  std::string since;

  void add(const StatusJson& object) {
    const std::string key = text_of(object, "key");
    const auto [before, command] = split_command(text_of(object, "waitsFor"));
    if (commands.empty()) {
      json = {{"controller", object.value("controller", "")}, {"state", object.value("state", "")}};
      for (const char* name : {"class", "reason"}) {
        if (object.contains(name)) json[name] = object[name];
      }
      cause = before;
    }
    commands[key] = command;
    const std::string begin = text_of(object, "unsettledSince");
    if (!begin.empty() && (since.empty() || begin < since)) since = begin;
  }

  // One command for all where they differ in the object's name only, else one after the other.
  [[nodiscard]] std::string release() const {
    std::string line;
    std::string names;
    std::string one_by_one;
    bool alike = true;
    for (const auto& [key, command] : commands) {
      if (command.empty()) return {};
      const std::string name = " " + key.substr(key.rfind('/') + 1) + " ";
      const std::size_t at = command.find(name);
      const std::string common =
          command.substr(0, at) + " *" +
          (at == std::string::npos ? std::string() : command.substr(at + name.size() - 1));
      alike = alike && at != std::string::npos && (line.empty() || common == line);
      line = common;
      names += name.substr(0, name.size() - 1);
      one_by_one += (one_by_one.empty() ? "" : " && ") + command;
    }
    if (!alike) return one_by_one;
    const std::size_t at = line.find(" *");
    return line.substr(0, at) + names + line.substr(at + 2);
  }

  [[nodiscard]] StatusJson finished(std::string_view now) {
    json["count"] = commands.size();
    if (std::string age = age_text(since, now); !age.empty()) json["for"] = std::move(age);
    std::string command = release();
    if (!cause.empty()) json["waitsFor"] = cause;
    json["keys"] = StatusJson::array();
    for (const auto& entry : commands) json["keys"].push_back(entry.first);
    if (!command.empty()) json["release"] = std::move(command);
    return std::move(json);
  }
};

void add_cloud(const StatusJson& status, StatusJson& problems) {
  for (const StatusJson& trouble : part(part(status, "cloud"), "troubles")) {
    problems.push_back(text_of(trouble, "text"));
  }
  if (const std::string suspicion = text_of(part(status, "cloud"), "doubtfulListing");
      !suspicion.empty()) {
    problems.push_back(suspicion);
  }
}

void add_brakes(const StatusJson& status, StatusJson& problems) {
  for (const auto& [kind, brake] : part(status, "brake").items()) {
    if (!brake.value("engaged", false)) continue;
    problems.push_back("the deletion brake on " + kind + " holds " + text_of(brake, "held"));
  }
  const auto held = part(status, "cloud").value("replacementsHeld", 0);
  if (held > 0) {
    problems.push_back("the creation brake keeps " + std::to_string(held) +
                       (held == 1 ? " Service" : " Services") + " from another load balancer");
  }
}

// Somebody may have to act: the object failed, is held, or lacks a permission.
bool needs_action(const StatusJson& object) {
  const std::string state = text_of(object, "state");
  return state == "retrying" || state == "refused" || state == "held" || state == "failed" ||
         (state == "queued" && text_of(object, "class") == "auth");
}

void add_objects(const StatusJson& status, StatusJson& problems) {
  std::map<std::string, int64_t> counts;  // by state
  for (const StatusJson& group : part(status, "groups")) {
    const std::string state = text_of(group, "state");
    if (needs_action(group) && state != "queued") counts[state] += group.value("count", 0);
  }
  std::string text;
  for (const auto& [state, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  }
  if (!text.empty()) problems.push_back("objects that are not settled: " + text);
}

// "0 hr 02 min 31 sec"
std::string up_text(int64_t seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld hr %02lld min %02lld sec",
                static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  return text;
}

// " a=1 b.c=2": the members of an object, those of inner objects after the outer name.
std::string members(const StatusJson& object, const std::string& outer = {}) {
  std::string text;
  for (const auto& [name, value] : object.items()) {
    const std::string path = outer + name;
    text += value.is_object() ? members(value, path + ".") : " " + path + "=" + plain(value);
  }
  return text;
}

// "name: a=1 b=2", the first member being the name.
void add_lines(const std::string& title, const StatusJson& list, std::string* text) {
  *text += "\n" + title + ":\n";
  for (StatusJson item : list) {
    *text += "  " + plain(item.front()) + ":";
    item.erase(item.begin());
    *text += members(item) + "\n";
  }
}

void add_member(const StatusJson& object, const char* name, const std::string& title,
                std::string* line) {
  const auto place = object.find(name);
  if (place != object.end()) *line += ", " + title + plain(*place);
}

void add_problems(const StatusJson& status, std::string* text) {
  const StatusJson& problems = status["problems"];
  *text += problems.empty() ? "Problems: none\n" : "Problems:\n";
  for (const StatusJson& problem : problems) *text += "  " + plain(problem) + "\n";
  for (const StatusJson& group : status["groups"]) {
    const auto release = group.find("release");
    if (release != group.end()) *text += "  to release them: " + plain(*release) + "\n";
  }
}

void add_object(const StatusJson& object, std::string* text) {
  std::string line = "  ";
  line += plain(object["controller"]) + " " + plain(object["key"]) + ": " + plain(object["state"]);
  add_member(object, "since", "since ", &line);
  add_member(object, "step", "step ", &line);
  add_member(object, "attempts", "tries ", &line);
  add_member(object, "nextTry", "next try ", &line);
  line += "\n";
  if (const auto waits = object.find("waitsFor"); waits != object.end()) {
    line += "      waits for: " + plain(*waits) + "\n";
  }
  if (const auto answer = object.find("lastCloudAnswer"); answer != object.end()) {
    line += "      last cloud answer:" + members(*answer) + "\n";
  }
  *text += line;
}

// What a list without objects means: the controllers have nothing to do, or have not begun.
const char* no_objects(const StatusJson& status) {
  return status["provider"]["ready"].get<bool>() ? "none"
                                                 : "not known before the provider is ready";
}

// "ready", "not ready", or what is wrong with the cloud: "ready" is said only of a provider whose
// cloud works.
std::string provider_state(const StatusJson& status) {
  const std::string state = status["provider"]["ready"].get<bool>() ? "" : "not ready";
  const StatusJson& cloud = status["cloud"];
  if (cloud["healthy"].get<bool>()) return state.empty() ? "ready" : state;
  return (state.empty() ? "" : state + ": ") + plain(cloud["text"]);
}

}  // namespace

StatusJson problems_json(const StatusJson& status) {
  StatusJson problems = StatusJson::array();
  add_cloud(status, problems);
  for (const auto& [who, what] : part(part(status, "permissions"), "missing").items()) {
    problems.push_back(who + " lacks " + plain(what) +
                       "; ccmctl rbac prints the roles that it needs");
  }
  for (const StatusJson& component : part(status, "components")) {
    if (!component.value("degraded", false)) continue;
    problems.push_back(text_of(component, "name") +
                       " is degraded: it stalls the manager or misses its deadlines; the log says "
                       "what it was doing");
  }
  add_brakes(status, problems);
  for (const StatusJson& rejected : part(status, "rejectedConfigurations")) {
    problems.push_back("plugin " + text_of(rejected, "plugin") + " cannot use the new content of " +
                       text_of(rejected, "file") +
                       ", so the earlier one stays in force: " + text_of(rejected, "reason"));
  }
  add_objects(status, problems);
  return problems;
}

StatusJson groups_json(const StatusJson& objects, std::string_view now) {
  std::map<std::string, Group> groups;
  for (const StatusJson& object : objects) {
    const std::string reason = text_of(object, "reason");
    const std::string cause =
        reason.empty() ? without_name(text_of(object, "waitsFor"), text_of(object, "key")) : reason;
    groups[text_of(object, "controller") + "\n" + text_of(object, "state") + "\n" +
           text_of(object, "class") + "\n" + cause]
        .add(object);
  }
  std::vector<StatusJson> sorted;
  for (auto& entry : groups) sorted.push_back(entry.second.finished(now));
  std::ranges::stable_sort(sorted, [](const StatusJson& left, const StatusJson& right) {
    const bool urgent = needs_action(left);
    if (urgent != needs_action(right)) return urgent;
    return left.value("count", 0) > right.value("count", 0);
  });
  return StatusJson(std::move(sorted));
}

std::string status_text(const StatusJson& status) {
  const StatusJson& process = status["process"];
  std::string text = serving::page_header("statusz");
  add_problems(status, &text);
  text += "Started: " + plain(process["startedText"]) + "\n";
  text += "Up: " + up_text(process["upSeconds"].get<int64_t>()) + "\n";
  text += "Binary version: " + plain(process["version"]) + " (" + plain(process["commit"]) + ", " +
          plain(process["compiler"]) + ", " + plain(process["platform"]) + ")\n";
  text += "Paths:";
  for (const StatusJson& path : status["paths"]) text += " " + plain(path);
  text += "\nAuthentication: " + plain(status["endpoint"]["authentication"]);
  text += "\nAuthorization: " + plain(status["endpoint"]["authorization"]);
  text += "\n\nLeader election:" + members(status["leaderElection"]);
  text +=
      "\nProvider: " + plain(status["provider"]["name"]) + " (" + provider_state(status) + ")\n";
  text += "Permissions: " + plain(status["permissions"]["text"]) + "\n";
  for (const auto& [kind, brake] : status["brake"].items()) {
    text += "Deletion brake, " + kind + ": " + plain(brake["text"]) + "\n";
  }
  add_lines("Cloud calls", status["budgets"], &text);
  add_lines("Plugins", status["plugins"], &text);
  add_lines("Components", status["components"], &text);
  add_lines("Caches", status["caches"], &text);
  text += "\nObjects that wait:\n";
  if (status["objects"].empty()) text += "  " + std::string(no_objects(status)) + "\n";
  for (const StatusJson& object : status["objects"]) add_object(object, &text);
  if (const auto asked = status.find("object"); asked != status.end()) {
    text += "\nAsked about " + plain((*asked)["key"]) + ":\n";
    for (const StatusJson& object : (*asked)["controllers"]) add_object(object, &text);
    if (const auto balancer = asked->find("loadBalancer"); balancer != asked->end()) {
      text += "  load balancer:" + members(*balancer) + "\n";
    }
    for (const StatusJson& warning : asked->value("warnings", StatusJson::array())) {
      text += "  warning of " + plain(warning["since"]) + ": " + plain(warning["reason"]) + ": " +
              plain(warning["message"]) + "\n";
    }
  }
  return text;
}

}  // namespace ccm::app
