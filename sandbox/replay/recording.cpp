#include "replay/recording.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace sandbox::replay {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRedacted = "[redacted]";

bool only_reads(const std::string& method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// Equal but for texts that were redacted.
bool same_query(std::string_view recorded, std::string_view asked) {
  while (true) {
    const std::size_t end = recorded.find('&');
    const std::size_t asked_end = asked.find('&');
    const std::string_view one = recorded.substr(0, end);
    const std::string_view other = asked.substr(0, asked_end);
    const std::size_t equals = one.find('=');
    const bool any = equals != std::string_view::npos && one.substr(equals + 1) == kRedacted &&
                     other.substr(0, equals + 1) == one.substr(0, equals + 1);
    if (!any && one != other) return false;
    if (end == std::string_view::npos || asked_end == std::string_view::npos) {
      return end == asked_end;
    }
    recorded.remove_prefix(end + 1);
    asked.remove_prefix(asked_end + 1);
  }
}

bool same_target(std::string_view recorded, std::string_view asked) {
  const std::size_t question = recorded.find('?');
  if (question != asked.find('?')) return false;
  if (recorded.substr(0, question) != asked.substr(0, question)) return false;
  return question == std::string_view::npos ||
         same_query(recorded.substr(question + 1), asked.substr(question + 1));
}

// However its members are ordered.
bool same_body(const std::string& recorded, const std::string& asked) {
  if (recorded == asked) return true;
  const Json left = Json::parse(recorded, nullptr, false);
  const Json right = Json::parse(asked, nullptr, false);
  return !left.is_discarded() && left == right;
}

Exchange read_line(const std::string& line) {
  const Json value = Json::parse(line);
  const Json& request = value.at("request");
  Exchange exchange;
  exchange.method = request.at("method");
  exchange.request_body = request.at("body");
  const std::string url = request.at("url");
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) throw std::runtime_error("\"" + url + "\" is no URL");
  const std::size_t path = std::min(url.find('/', scheme + 3), url.size());
  exchange.origin = url.substr(0, path);
  exchange.target = path == url.size() ? "/" : url.substr(path);
  const auto response = value.find("response");
  exchange.answered = response != value.end();
  if (!exchange.answered) return exchange;
  exchange.status = response->at("status");
  exchange.body = response->at("body");
  for (const Json& header : response->at("headers")) {
    exchange.headers.emplace_back(header.at(0).get<std::string>(), header.at(1).get<std::string>());
  }
  return exchange;
}

}  // namespace

Recording::Recording(std::istream& lines) {
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    try {
      exchanges_.push_back(read_line(line));
    } catch (const std::exception& error) {
      throw std::runtime_error("line " + std::to_string(number) +
                               " is no recorded exchange: " + error.what());
    }
    const std::string& origin = exchanges_.back().origin;
    if (std::find(origins_.begin(), origins_.end(), origin) == origins_.end()) {
      origins_.push_back(origin);
    }
  }
}

// The state of the cloud at that time: the next answer before the next change, else the last one
// that was given, else the first one at all.
Exchange* Recording::next_read(const std::string& target, const std::string& method) {
  Exchange* last = nullptr;
  for (std::size_t i = 0; i < exchanges_.size(); ++i) {
    Exchange& exchange = exchanges_[i];
    if (i >= changed_ && !only_reads(exchange.method) && !exchange.used && last != nullptr) break;
    if (exchange.method != method || !same_target(exchange.target, target)) continue;
    if (i >= changed_ && !exchange.used) return &exchange;
    last = &exchange;
  }
  return last;
}

Exchange* Recording::next_write(const std::string& method, const std::string& target,
                                const std::string& body) {
  Exchange* unused = nullptr;
  Exchange* last = nullptr;
  for (Exchange& exchange : exchanges_) {
    if (exchange.method != method || !same_target(exchange.target, target)) continue;
    last = &exchange;
    if (exchange.used) continue;
    if (same_body(exchange.request_body, body)) return &exchange;
    // Another cluster has other ids of its objects.
    if (unused == nullptr) unused = &exchange;
  }
  return unused != nullptr ? unused : last;
}

const Exchange* Recording::answer(const std::string& method, const std::string& target,
                                  const std::string& body) {
  Exchange* found =
      only_reads(method) ? next_read(target, method) : next_write(method, target, body);
  if (found == nullptr) return nullptr;
  found->used = true;
  const auto place = static_cast<std::size_t>(found - exchanges_.data());
  if (!only_reads(method)) changed_ = std::max(changed_, place + 1);
  return found;
}

}  // namespace sandbox::replay
