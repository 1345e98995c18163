#include "expectation.hpp"

#include "resource_path.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

constexpr const char* kDefaultManager = "manager";

std::string absent_members(const json& pointers, const json& object) {
  for (const json& pointer : pointers) {
    const json::json_pointer at(pointer.get<std::string>());
    if (object.contains(at)) {
      return pointer.get<std::string>() + ": expected nothing, is " + object.at(at).dump();
    }
  }
  return {};
}

std::string both(const json& match, const json& absent, const json& actual, const Memory& memory) {
  const std::string problem = mismatch(match, actual, memory);
  return problem.empty() ? absent_members(absent, actual) : problem;
}

bool is_about(const json& event, const std::string& reference) {
  const json& involved = event.at("involvedObject");
  const std::string kind = involved.value("kind", "");
  const std::string name = involved.value("name", "");
  const std::string name_space = involved.value("namespace", "");
  return reference == kind + "/" + name || reference == kind + "/" + name_space + "/" + name;
}

std::string namespace_of_events(const std::string& reference) {
  const std::size_t first = reference.find('/');
  const std::size_t last = reference.rfind('/');
  return first == last ? "default" : reference.substr(first + 1, last - first - 1);
}

}  // namespace

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Expectations::Expectations(World& world, Managers& managers, const ApiProxy* proxy,
                           const Memory& memory)
    : world_(world), managers_(managers), proxy_(proxy), memory_(memory) {}

std::string Expectations::problem(const json& statement) {
  if (!statement.is_object()) throw std::runtime_error("no statement: " + statement.dump());
  if (statement.contains("object")) return object(statement);
  if (statement.size() == 1) {
    const std::string form = statement.begin().key();
    const json& what = statement.begin().value();
    if (form == "missing") return missing(what);
    if (form == "all") return all(what);
    if (form == "event") return event(what);
    if (form == "calls") return calls(what);
    if (form == "requests") return requests(what);
    if (form == "loadBalancers") return in_cloud("load_balancers", what);
    if (form == "routes") return in_cloud("routes", what);
    if (form == "log") return log(what);
    if (form == "exit") return exit(what);
    if (form == "elapsed") return elapsed(what);
    if (form == "running") return running(what);
  }
  throw std::runtime_error("unknown statement " + statement.dump());
}

std::string Expectations::problems(const json& statements) {
  std::string result;
  for (const json& statement : statements) {
    const std::string one = problem(statement);
    if (!one.empty()) result += "  " + one + "\n";
  }
  return result;
}

std::string Expectations::object(const json& statement) {
  const json& wanted = statement.at("object");
  const std::string path = object_path(wanted);
  const support::KubeResponse response = world_.api().get(path);
  if (!response.ok()) return path + ": " + std::to_string(response.status);
  const std::string problem =
      both(wanted, statement.value("absent", json::array()), response.body, memory_);
  return problem.empty() ? problem : path + " " + problem;
}

std::string Expectations::missing(const json& reference) {
  const std::string path = object_path(reference.get<std::string>());
  const int status = world_.api().get(path).status;
  return status == 404 ? "" : path + ": expected 404, is " + std::to_string(status);
}

std::string Expectations::all(const json& what) {
  const std::string path = collection_path(what.at("kind"), what.value("namespace", std::string()));
  const support::KubeResponse list = world_.api().get(path);
  if (!list.ok()) return path + ": " + std::to_string(list.status);
  std::size_t matching = 0;
  std::string last;
  for (const json& item : list.body.at("items")) {
    const std::string problem = both(what.value("match", json::object()),
                                     what.value("absent", json::array()), item, memory_);
    if (problem.empty()) {
      ++matching;
    } else {
      last = item.at("metadata").at("name").get<std::string>() + " " + problem;
    }
  }
  if (mismatch(what.at("count"), matching, memory_).empty()) return {};
  return path + ": " + std::to_string(matching) + " of " + what.at("count").dump() +
         " match; one that does not: " + last;
}

// An event that was aggregated counts as often as its count says.
std::string Expectations::event(const json& what) {
  const std::string reference = what.at("object");
  const std::string path = collection_path("Event", namespace_of_events(reference));
  const support::KubeResponse list = world_.api().get(path);
  if (!list.ok()) return path + ": " + std::to_string(list.status);
  json wanted = what;
  wanted.erase("object");
  wanted.erase("count");
  int count = 0;
  for (const json& one : list.body.at("items")) {
    if (is_about(one, reference) && mismatch(wanted, one, memory_).empty()) {
      count += std::max(1, one.value("count", 1));
    }
  }
  const std::string problem = mismatch(what.value("count", json{{"$atLeast", 1}}), count, memory_);
  return problem.empty() ? problem : "event " + what.dump() + " " + problem;
}

std::string Expectations::calls(const json& what) {
  const json counted = world_.cloud().calls();
  for (const auto& [operation, wanted] : what.items()) {
    const json& by_operation = counted.at("by_operation");
    const json actual = counted.contains(operation) ? counted.at(operation)
                                                    : json(by_operation.value(operation, 0));
    const std::string problem = mismatch(wanted, actual, memory_);
    if (!problem.empty()) return "cloud calls " + operation + " " + problem;
  }
  return {};
}

// The requests that the proxy has seen.
std::string Expectations::requests(const json& what) {
  if (proxy_ == nullptr) throw std::runtime_error("manager needs \"proxy: true\" for this");
  const std::size_t seen = proxy_->requests(what.value("method", ""), what.value("target", ""));
  const std::string problem = mismatch(what.at("count"), seen, memory_);
  return problem.empty() ? problem : "requests " + what.dump() + " " + problem;
}

// How many of the cloud's own match.
std::string Expectations::in_cloud(const char* collection, const json& what) {
  const json all = world_.cloud().control("GET", std::string("/") + collection).at(collection);
  std::size_t matching = 0;
  std::string last = "none";
  for (const json& one : all) {
    const std::string problem = both(what.value("match", json::object()),
                                     what.value("absent", json::array()), one, memory_);
    if (problem.empty()) {
      ++matching;
    } else {
      last = one.at("id").get<std::string>() + " " + problem;
    }
  }
  if (mismatch(what.at("count"), matching, memory_).empty()) return {};
  return std::string(collection) + " of the cloud: " + std::to_string(matching) + " of " +
         what.at("count").dump() + " match; one that does not: " + last;
}

std::string Expectations::log(const json& what) {
  const std::string name = what.value("manager", kDefaultManager);
  const std::string text = managers_.log(name);
  if (what.contains("contains")) {
    const std::string wanted = what.at("contains");
    if (text.find(wanted) == std::string::npos) return "the log has no \"" + wanted + "\"";
  }
  if (what.contains("lacks")) {
    const std::string unwanted = what.at("lacks");
    if (text.find(unwanted) != std::string::npos) return "the log has \"" + unwanted + "\"";
  }
  if (what.contains("lines")) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    const std::string problem = mismatch(what.at("lines"), lines, memory_);
    if (!problem.empty()) return "lines of the log " + problem;
  }
  return {};
}

std::string Expectations::exit(const json& what) {
  const bool named = what.is_object() && what.contains("code");
  const std::string name = named ? what.value("manager", kDefaultManager) : kDefaultManager;
  const json& wanted = named ? what.at("code") : what;
  const auto status = managers_.process(name).wait(std::chrono::milliseconds(0));
  if (!status) return "manager " + name + " still runs";
  if (status->signal != 0) return name + " was killed by signal " + std::to_string(status->signal);
  const std::string problem = mismatch(wanted, status->code, memory_);
  return problem.empty() ? problem : "exit code of " + name + " " + problem;
}

std::string Expectations::elapsed(const json& what) {
  const double seconds = seconds_now() - memory_.at(what.at("since")).get<double>();
  const std::string problem = mismatch(what.at("seconds"), seconds, memory_);
  return problem.empty() ? problem : "seconds since " + what.at("since").dump() + " " + problem;
}

std::string Expectations::running(const json& name) {
  return managers_.process(name).running() ? "" : "manager " + name.dump() + " has ended";
}

}  // namespace ccm::e2e
