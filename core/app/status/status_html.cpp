#include "app/status/status_text.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace ccm::app {

namespace {

constexpr const char* kHead =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<title>cloud-controller-manager status</title>\n"
    "<style>\n"
    "body{font:15px/1.45 sans-serif;margin:1.5em auto;padding:0 1em;max-width:90em;color:#222}\n"
    "h1{font-size:1.4em}h2{font-size:1.1em;margin:1.6em 0 .4em}\n"
    // A table that is too wide scrolls, since its words stay whole.
    "body{overflow-x:auto}table{border-collapse:collapse}\n"
    "th,td{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}\n"
    "th{background:#f2f2f2}\n"
    "</style></head><body>\n"
    "<h1>cloud-controller-manager</h1>\n";

void heading(const char* title, std::string* html) {
  *html += std::string("<h2>") + title + "</h2>\n";
}

void cell(const std::string& tag, std::string_view text, std::string* html) {
  *html += "<" + tag + ">" + escaped(text, "&<>\"'") + "</" + tag + ">";
}

// One row for each member.
void add_facts(const char* title, const StatusJson& object, std::string* html) {
  heading(title, html);
  *html += "<table>\n";
  for (const auto& [name, value] : flat(object)) {
    *html += "<tr>";
    cell("th", name, html);
    cell("td", value, html);
    *html += "</tr>\n";
  }
  *html += "</table>\n";
}

// One row for each object; a column for each member that any of them has, by first appearance.
void add_table(const char* title, const StatusJson& list, std::string* html) {
  heading(title, html);
  if (list.empty()) {
    *html += "<p>none</p>\n";
    return;
  }
  std::vector<std::string> columns;
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  for (const StatusJson& object : list) {
    rows.push_back(flat(object));
    for (const auto& [name, value] : rows.back()) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  *html += "<table>\n<tr>";
  for (const std::string& column : columns) cell("th", column, html);
  *html += "</tr>\n";
  for (const auto& row : rows) {
    *html += "<tr>";
    for (const std::string& column : columns) {
      const auto place = std::find_if(row.begin(), row.end(),
                                      [&](const auto& member) { return member.first == column; });
      cell("td", place == row.end() ? std::string_view() : place->second, html);
    }
    *html += "</tr>\n";
  }
  *html += "</table>\n";
}

}  // namespace

std::string status_html(const StatusJson& status) {
  std::string html = kHead;
  add_facts("Process", status["process"], &html);
  add_facts("Leader election", status["leaderElection"], &html);
  add_facts("Provider", status["provider"], &html);
  add_facts("Access", status["endpoint"], &html);
  add_facts("Permissions", status["permissions"], &html);
  add_facts("Deletion brake", status["brake"], &html);
  add_table("Cloud calls", status["budgets"], &html);
  add_table("Objects that wait", status["objects"], &html);
  if (const auto asked = status.find("object"); asked != status.end()) {
    add_table("Asked about", (*asked)["controllers"], &html);
    if (const auto balancer = asked->find("loadBalancer"); balancer != asked->end()) {
      add_facts("Its load balancer", *balancer, &html);
    }
    add_table("Its last warnings", asked->value("warnings", StatusJson::array()), &html);
  }
  add_table("Components", status["components"], &html);
  add_table("Plugins", status["plugins"], &html);
  add_table("Caches", status["caches"], &html);
  html += "<p>Also as text, and as JSON for those who accept application/json.</p>\n";
  html += "</body></html>\n";
  return html;
}

}  // namespace ccm::app
