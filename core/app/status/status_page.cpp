#include "app/status/status_page.hpp"

#include "app/status/status_json.hpp"
#include "app/status/status_text.hpp"
#include "serving/pages/flags_page.hpp"
#include "serving/site.hpp"

#include <ccm/lower_case.hpp>

#include <algorithm>
#include <charconv>

namespace ccm::app {

namespace {

StatusQuery read_query(std::string_view query) {
  StatusQuery read;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string value = serving::percent_decode(part.substr(equals + 1), true);
    if (part.substr(0, equals) == "object") read.object = value;
    if (part.substr(0, equals) == "route") read.route = value;
    if (part.substr(0, equals) != "limit") continue;
    std::size_t limit = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
    const bool number = error == std::errc() && end == value.data() + value.size();
    if (number) read.limit = std::min(limit, kMostStatusObjects);
  }
  return read;
}

// Browsers say so, curl accepts anything.
bool wants_html(const serving::Request& request) {
  const std::string accept = lower_case(request.header("Accept"));
  const auto html = accept.find("text/html");
  return html != std::string::npos && html < accept.find("text/plain") &&
         html < accept.find("application/json");
}

}  // namespace

serving::Answer status_page(const StatusSources& sources, const serving::Request& request) {
  if (const auto refusal = serving::only_reads(request)) return *refusal;
  const StatusJson status = status_json(sources, read_query(request.query));
  serving::Answer answer;
  if (wants_html(request)) {
    answer.content_type = "text/html; charset=utf-8";
    answer.body = status_html(status);
  } else if (serving::wants_json(request)) {
    answer.content_type = "application/json";
    answer.body = status.dump(2, ' ', true, StatusJson::error_handler_t::replace) + "\n";
  } else {
    answer.body = status_text(status);
  }
  return answer;
}

}  // namespace ccm::app
