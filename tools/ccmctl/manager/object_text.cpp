#include "object_text.hpp"

#include "base/duration.hpp"
#include "ccmctl/output.hpp"
#include "kube/time_text.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace ccm::ctl {
namespace {

std::string ago(const std::string& when, std::string_view now) {
  return when + " (" + between(when, now) + " ago)";
}

}  // namespace

std::string member(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  if (place == object.end() || place->is_null()) return {};
  return printable(place->is_string()
                       ? place->get<std::string>()
                       : place->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

const nlohmann::json& part(const nlohmann::json& object, const char* name) {
  static const auto* const kNothing = new nlohmann::json(nlohmann::json::object());
  const auto place = object.find(name);
  return place == object.end() ? *kNothing : *place;
}

std::string between(std::string_view from, std::string_view to) {
  const auto begin = kube::parse_time(from);
  const auto end = kube::parse_time(to);
  return begin && end ? short_duration(*end - *begin) : "?";
}

// An object without a required permission waits until it is granted, attempted or not.
bool is_fault(const nlohmann::json& object) {
  const std::string state = object.value("state", "unknown");
  return state == "retrying" || state == "refused" || state == "held" || state == "failed" ||
         (state == "queued" && object.value("class", "") == "auth");
}

std::string cloud_answer_text(const nlohmann::json& object, std::string_view now) {
  const auto place = object.find("lastCloudAnswer");
  if (place == object.end() || !place->is_object()) return {};
  std::string text = member(*place, "operation");
  const std::string code = member(*place, "httpStatus");
  text += code.empty() ? ": no answer came" : " " + code;
  if (const auto name = member(*place, "class"); !name.empty()) text += ", class " + name;
  if (const auto name = member(*place, "reason"); !name.empty()) text += ", reason " + name;
  if (const auto id = member(*place, "requestId"); !id.empty()) text += ", request " + id;
  if (const auto when = member(*place, "time"); !when.empty()) {
    text += ", " + between(when, now) + " ago";
  }
  return text;
}

std::string object_text(const nlohmann::json& object, std::string_view now) {
  const std::string since = member(object, "since");
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* title, const std::string& text) {
    if (!text.empty()) rows.push_back({std::string("  ") + title, text});
  };
  const std::string state = member(object, "state");
  add("State", state);
  add(state == "settled" ? "Settled at" : "Since", since.empty() ? "" : ago(since, now));
  add("Step", member(object, "step"));
  if (state != "settled") add("Waits for", member(object, "waitsFor"));
  add("Why", member(object, "leftAlone"));
  std::string kind = member(object, "class");
  const std::string reason = member(object, "reason");
  if (!reason.empty()) kind += (kind.empty() ? "" : ", ") + ("reason " + reason);
  add("Class", kind);
  const std::string first = member(object, "unsettledSince");
  add("Not settled since", first.empty() ? "" : ago(first, now));
  add("Cloud's last answer", cloud_answer_text(object, now));
  add("Tries", member(object, "attempts"));
  const std::string next = member(object, "nextTry");
  if (!next.empty()) {
    add(state == "settled" ? "Next look" : "Next try", next + " (in " + between(now, next) + ")");
  } else if (state == "refused" || state == "left-alone") {
    add("Next try", "none until the object changes");
  }
  return align(rows);
}

std::string load_balancer_text(const nlohmann::json& balancer, std::string_view now) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* title, const std::string& text) {
    if (!text.empty()) rows.push_back({std::string("  ") + title, text});
  };
  add("Id", member(balancer, "id"));
  add("Name", member(balancer, "name"));
  add("State", member(balancer, "state"));
  std::string addresses;
  for (const nlohmann::json& address : part(balancer, "addresses")) {
    if (!address.is_string()) continue;
    addresses += (addresses.empty() ? "" : ", ") + printable(address.get<std::string>());
  }
  add("Addresses", addresses);
  add("Left alone", member(balancer, "leftAlone"));
  const std::string since = member(balancer, "since");
  add("Seen at", since.empty() ? "" : ago(since, now));
  return align(rows);
}

std::string warnings_text(const nlohmann::json& warnings, std::string_view kind,
                          std::string_view now) {
  std::vector<std::vector<std::string>> rows;
  for (const nlohmann::json& warning : warnings) {
    if (!warning.is_object() || warning.value("kind", "") != kind) continue;
    rows.push_back({"  " + member(warning, "reason"),
                    between(member(warning, "since"), now) + " ago", member(warning, "message")});
  }
  return align(rows);
}

}  // namespace ccm::ctl
