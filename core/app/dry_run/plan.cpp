#include "app/dry_run/plan.hpp"

#include "base/text.hpp"

#include <ccm/shown_text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ccm::app {

void Plan::withhold(const plugin::WithheldWrite& write) {
  Change change;
  change.controller = write.origin != nullptr ? write.origin->controller() : write.component;
  if (write.origin != nullptr) change.object = write.origin->key();
  if (!write.method.empty()) change.action = std::string(write.method) + " ";
  change.action += write.target;
  change.body = write.body;
  change.before = write.before;
  Attempt& attempt = attempts_[{change.controller, change.object}];
  if (attempt.origin != write.origin) attempt = {write.origin, {}};
  // A component's own work has no attempts that could be told apart.
  const std::size_t number = write.origin == nullptr ? 0 : attempt.writes[change.action]++;
  note(std::move(change), number);
}

void Plan::answered(std::string_view component, std::string_view operation, unsigned http_status) {
  const bool tells = http_status != 0 && http_status < 500 && http_status != 401 &&
                     http_status != 403 && http_status != 429;
  const Pair call(component, operation);
  if (tells) {
    failing_.erase(call);
  } else {
    failing_[call] = http_status;
  }
}

// A retried reconcile asks for its changes again, and an object may need several patches.
void Plan::note(Change change, std::size_t number) {
  const auto [known, fresh] = places_.try_emplace(
      std::tuple(change.controller, change.object, change.action, number), changes_.size());
  if (fresh) {
    changes_.push_back(std::move(change));
    return;
  }
  Change& earlier = changes_[known->second];
  earlier.body = std::move(change.body);
  earlier.before = std::move(change.before);
  for (FieldChange& field : change.fields) {
    const auto same = std::ranges::find(earlier.fields, field.field, &FieldChange::field);
    if (same == earlier.fields.end()) {
      earlier.fields.push_back(std::move(field));
    } else {
      same->after = std::move(field.after);
    }
  }
}

namespace {

constexpr std::size_t kColumns = 5;
constexpr std::size_t kWidest = 64;  // bytes in a cell

using Row = std::array<std::string, kColumns>;

std::string cell(std::string_view text) {
  if (text.empty()) return "-";
  std::string shown = shown_text(utf8_text(utf8_front(text, kWidest)));
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  if (text.size() <= kWidest && shown.size() <= kWidest) return shown;
  return std::string(utf8_front(shown, kWidest - 3)) + "...";
}

// A text without its quotes; any other value as JSON.
std::string value_cell(const std::string& json) {
  const auto value = nlohmann::ordered_json::parse(json, nullptr, false);
  return cell(value.is_string() ? value.get<std::string>() : json);
}

std::vector<Row> rows_of(const std::vector<Change>& changes) {
  std::vector<Row> rows;
  for (const Change& change : changes) {
    Row row{cell(change.controller), cell(change.object), cell(change.action), "-", "-"};
    if (change.fields.empty()) {
      row[3] = cell(change.before);
      row[4] = cell(change.body);
      rows.push_back(row);
    }
    for (const FieldChange& field : change.fields) {
      row[2] = cell(change.action) + " " + cell(field.field);
      row[3] = value_cell(field.before);
      row[4] = value_cell(field.after);
      rows.push_back(row);
    }
  }
  return rows;
}

std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      text += row[i];
      if (i + 1 < kColumns) text.append(widths[i] - row[i].size() + 3, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

nlohmann::ordered_json value_of(const std::string& json) {
  if (json.empty()) return nullptr;
  auto value = nlohmann::ordered_json::parse(json, nullptr, false);
  return value.is_discarded() ? nlohmann::ordered_json(utf8_text(json)) : value;
}

}  // namespace

std::string plan_table(const std::vector<Change>& changes, const std::vector<OpenObject>& open) {
  std::string text;
  if (!changes.empty()) {
    std::vector<Row> rows = rows_of(changes);
    rows.insert(rows.begin(), Row{"CONTROLLER", "OBJECT", "CHANGE", "BEFORE", "AFTER"});
    text = aligned(rows) + "\n";
  }
  for (const OpenObject& object : open) {
    text += object.undetermined ? "Cannot tell: " : "Left as it is: ";
    text += object.controller;
    if (!object.object.empty()) text += " " + object.object;
    text += " is " + object.state + (object.message.empty() ? "" : ": " + object.message) + "\n";
  }
  text += counted(changes.size(), "change") + "\n";
  return text;
}

std::string plan_json(const std::vector<Change>& changes, const std::vector<OpenObject>& open) {
  using Json = nlohmann::ordered_json;
  Json all{{"changes", Json::array()}, {"open", Json::array()}};
  for (const Change& change : changes) {
    Json item{{"controller", change.controller}};
    if (!change.object.empty()) item["object"] = change.object;
    item["action"] = change.action;
    for (const FieldChange& field : change.fields) {
      item["fields"].push_back({{"field", field.field},
                                {"before", value_of(field.before)},
                                {"after", value_of(field.after)}});
    }
    if (!change.before.empty()) item["before"] = utf8_text(change.before);
    if (!change.body.empty()) item["body"] = value_of(change.body);
    all["changes"].push_back(std::move(item));
  }
  for (const OpenObject& object : open) {
    Json item{{"controller", object.controller}};
    if (!object.object.empty()) item["object"] = object.object;
    item["state"] = object.state;
    item["message"] = object.message;
    item["undetermined"] = object.undetermined;
    all["open"].push_back(std::move(item));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ccm::app
