#include "app/status/status_text.hpp"

#include "serving/pages/flags_page.hpp"

#include <cstdio>

namespace ccm::app {

namespace {

// "0 hr 02 min 31 sec"
std::string up_text(int64_t seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld hr %02lld min %02lld sec",
                static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  return text;
}

// "name: a=1 b=2", the first member being the name.
void add_lines(const char* title, const StatusJson& list, std::string* text) {
  *text += "\n";
  *text += title;
  *text += ":\n";
  for (const StatusJson& item : list) {
    std::string line;
    for (const auto& [name, value] : flat(item)) {
      if (line.empty()) {
        line = "  ";
        line += value + ":";
      } else {
        line += " " + name + "=" + value;
      }
    }
    *text += line + "\n";
  }
}

void add_member(const StatusJson& object, const char* name, const char* title, std::string* line) {
  const auto place = object.find(name);
  if (place == object.end()) return;
  *line += ", ";
  *line += title;
  *line += plain(*place);
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
    line += "      last cloud answer:";
    for (const auto& [name, value] : flat(*answer)) line += " " + name + "=" + value;
    line += "\n";
  }
  *text += line;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flat(const StatusJson& object) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_object()) {
      members.emplace_back(name, plain(value));
      continue;
    }
    for (const auto& [inner, inner_value] : flat(value)) {
      std::string path = name;
      path += "." + inner;
      members.emplace_back(std::move(path), inner_value);
    }
  }
  return members;
}

// "ready" is said only of a provider whose cloud works.
std::string provider_state(const StatusJson& status) {
  const std::string state = status["provider"]["ready"].get<bool>() ? "" : "not ready";
  const StatusJson& cloud = status["cloud"];
  if (cloud["healthy"].get<bool>()) return state.empty() ? "ready" : state;
  return (state.empty() ? "" : state + ": ") + plain(cloud["text"]);
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
  text += "\n\nLeader election:";
  for (const auto& [name, value] : flat(status["leaderElection"])) text += " " + name + "=" + value;
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
  if (status["objects"].empty()) text += "  none\n";
  for (const StatusJson& object : status["objects"]) add_object(object, &text);
  if (const auto asked = status.find("object"); asked != status.end()) {
    text += "\nAsked about " + plain((*asked)["key"]) + ":\n";
    for (const StatusJson& object : (*asked)["controllers"]) add_object(object, &text);
    if (const auto balancer = asked->find("loadBalancer"); balancer != asked->end()) {
      text += "  load balancer:";
      for (const auto& [name, value] : flat(*balancer)) text += " " + name + "=" + value;
      text += "\n";
    }
    for (const StatusJson& warning : asked->value("warnings", StatusJson::array())) {
      text += "  warning of " + plain(warning["since"]) + ": " + plain(warning["reason"]) + ": " +
              plain(warning["message"]) + "\n";
    }
  }
  return text;
}

}  // namespace ccm::app
