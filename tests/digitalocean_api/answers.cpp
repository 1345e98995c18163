#include "answers.hpp"

#include <algorithm>
#include <string_view>

namespace ccm::digitalocean_api {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::map<std::string, std::string> parse_query(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    const size_t equals = std::min(pair.find('='), pair.size());
    query[decoded(pair.substr(0, equals))] =
        equals < pair.size() ? decoded(pair.substr(equals + 1)) : "";
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
  }
  return query;
}

std::vector<std::string> parse_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    parts.push_back(decoded(part));
    path.remove_prefix(part.size());
  }
  return parts;
}

const char* error_id(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 422:
      return "unprocessable_entity";
    case 429:
      return "too_many_requests";
    default:
      return "server_error";
  }
}

int64_t number_or(const std::map<std::string, std::string>& query, const char* name,
                  int64_t fallback) {
  const auto place = query.find(name);
  return place == query.end() ? fallback : std::stoll(place->second);
}

}  // namespace

Route parse_target(const std::string& target) {
  Route route;
  const size_t question = target.find('?');
  route.path = target.substr(0, question);
  if (question != std::string::npos) route.query = parse_query(target.substr(question + 1));
  route.parts = parse_path(route.path);
  return route;
}

ApiAnswer ok(int status, const json& body) {
  ApiAnswer answer;
  answer.status = status;
  if (!body.is_null()) answer.body = body.dump();
  return answer;
}

ApiAnswer error(int status, const std::string& message) {
  return ok(status, {{"id", error_id(status)}, {"message", message}});
}

ApiAnswer page(const std::string& name, const std::vector<const json*>& items, const Route& route) {
  const int64_t number = number_or(route.query, "page", 1);
  const int64_t size = number_or(route.query, "per_page", 20);
  if (number < 1 || size < 1) return error(400, "page and per_page must be positive");
  const int64_t per_page = std::min<int64_t>(size, 200);
  const auto total = static_cast<int64_t>(items.size());
  const int64_t last = std::max<int64_t>((total + per_page - 1) / per_page, 1);
  json list = json::array();
  for (int64_t i = (number - 1) * per_page; i < std::min(number * per_page, total); ++i) {
    list.push_back(*items[static_cast<size_t>(i)]);
  }
  json pages = json::object();
  const auto link = [&](int64_t to) {
    return "https://api.digitalocean.com" + route.path + "?page=" + std::to_string(to) +
           "&per_page=" + std::to_string(per_page);
  };
  if (number < last) {
    pages["next"] = link(number + 1);
    pages["last"] = link(last);
  }
  if (number > 1) {
    pages["first"] = link(1);
    pages["prev"] = link(number - 1);
  }
  const json links = pages.empty() ? json::object() : json{{"pages", pages}};
  return ok(200, {{name, list}, {"links", links}, {"meta", {{"total", total}}}});
}

}  // namespace ccm::digitalocean_api
