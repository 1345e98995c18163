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

bool is_uid_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The length of the UID with which the text begins, also of one without dashes and cut to 31
// digits, as in names of load balancers; 0 = there is none. By hand, since std::regex calls itself
// for each digit.
std::size_t uid_length(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  constexpr std::size_t kFewestDigits = 31;
  const auto fits = [](char c, char form) { return form == 'x' ? is_uid_digit(c) : c == form; };
  if (text.size() >= kForm.size() && std::equal(kForm.begin(), kForm.end(), text.begin(),
                                                [&](char form, char c) { return fits(c, form); })) {
    return kForm.size();
  }
  const auto end = std::find_if_not(text.begin(), text.end(), &is_uid_digit);
  const auto digits = static_cast<std::size_t>(end - text.begin());
  return digits < kFewestDigits ? 0 : digits;
}

// Calls back with each UID, and with each character between them.
template <typename Uid, typename Other>
void each_uid(std::string_view text, const Uid& uid, const Other& other) {
  while (!text.empty()) {
    const std::size_t length = uid_length(text);
    if (length > 0) {
      uid(text.substr(0, length));
    } else {
      other(text.front());
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

std::vector<std::string> uids_in(const std::string& text) {
  std::vector<std::string> uids;
  each_uid(
      text, [&uids](std::string_view uid) { uids.emplace_back(uid); }, [](char) {});
  return uids;
}

std::string without_uids(const std::string& text) {
  std::string out;
  each_uid(
      text, [&out](std::string_view) { out += '*'; }, [&out](char c) { out += c; });
  return out;
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

bool same_url(std::string_view recorded, std::string_view asked) {
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

bool Recording::same_target(const std::string& recorded, const std::string& asked) const {
  return same_url(recorded, asked) || (!renamed_.empty() && same_url(as_asked(recorded), asked));
}

std::string Recording::as_asked(std::string text) const {
  for (const auto& [recorded, asked] : renamed_) {
    for (std::size_t at = text.find(recorded); at != std::string::npos;
         at = text.find(recorded, at + asked.size())) {
      text.replace(at, recorded.size(), asked);
    }
  }
  return text;
}

bool Recording::has(const std::string& uid) const {
  return std::any_of(exchanges_.begin(), exchanges_.end(), [&uid](const Exchange& exchange) {
    return exchange.target.find(uid) != std::string::npos ||
           exchange.request_body.find(uid) != std::string::npos ||
           exchange.body.find(uid) != std::string::npos;
  });
}

// The cloud's own ids come from recorded answers, so one that is nowhere is of this cluster.
bool Recording::learn_text(const std::string& recorded, const std::string& asked) {
  const std::vector<std::string> before = uids_in(recorded);
  const std::vector<std::string> now = uids_in(asked);
  if (before.size() != now.size()) return false;
  bool learnt = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before[i] == now[i] || has(now[i])) continue;
    learnt = renamed_.try_emplace(before[i], now[i]).second || learnt;
  }
  return learnt;
}

bool Recording::learn_target(const std::string& method, const std::string& asked) {
  for (const Exchange& exchange : exchanges_) {
    if (exchange.method != method) continue;
    const std::string recorded = as_asked(exchange.target);
    if (!same_url(without_uids(recorded), without_uids(asked))) continue;
    if (learn_text(recorded, asked)) return true;
  }
  return false;
}

void Recording::learn_body(const Json& recorded, const Json& asked) {
  if (recorded.is_object() && asked.is_object()) {
    for (const auto& [name, value] : recorded.items()) {
      if (asked.contains(name)) learn_body(value, asked.at(name));
    }
  } else if (recorded.is_array() && asked.is_array()) {
    for (std::size_t i = 0; i < std::min(recorded.size(), asked.size()); ++i) {
      learn_body(recorded[i], asked[i]);
    }
  } else if (recorded.is_string() && asked.is_string()) {
    learn_text(recorded, asked);
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

Exchange* Recording::next(const std::string& method, const std::string& target,
                          const std::string& body) {
  return only_reads(method) ? next_read(target, method) : next_write(method, target, body);
}

const Exchange* Recording::answer(const std::string& method, const std::string& target,
                                  const std::string& body) {
  Exchange* found = next(method, target, body);
  if (found == nullptr && learn_target(method, target)) found = next(method, target, body);
  if (found == nullptr) return nullptr;
  found->used = true;
  if (!only_reads(method) && !same_body(found->request_body, body)) {
    learn_body(Json::parse(found->request_body, nullptr, false), Json::parse(body, nullptr, false));
  }
  const auto place = static_cast<std::size_t>(found - exchanges_.data());
  if (!only_reads(method)) changed_ = std::max(changed_, place + 1);
  return found;
}

}  // namespace sandbox::replay
