#include "marks.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::string_view kBegin = "ccm-routes:";
constexpr std::size_t kMarkLength = 8;

// 48 bits of FNV-1a, in characters that a URL and a tag may hold.
std::string eight_characters(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  hash ^= hash >> 48U;
  std::string digits;
  for (std::size_t i = 0; i < kMarkLength; ++i, hash >>= 6U) digits += kDigits[hash & 63U];
  return digits;
}

}  // namespace

RouteMarks::RouteMarks(std::string_view cluster, const std::vector<std::string>& tags)
    : cluster_(cluster), prefix_(std::string(kBegin) + eight_characters(cluster) + ":") {
  for (const std::string& tag : tags) {
    if (!tag.starts_with(prefix_)) continue;
    auto& marks = tags_[tag];
    for (std::size_t at = prefix_.size(); at + kMarkLength <= tag.size(); at += kMarkLength) {
      marks.insert(tag.substr(at, kMarkLength));
    }
  }
}

std::string RouteMarks::mark_of(const ExtraRoute& route) const {
  const ExtraRoute normal = normal_form(route);
  return eight_characters(cluster_ + "\n" + normal.destination + "\n" + normal.next_hop);
}

bool RouteMarks::has(const ExtraRoute& route) const {
  const std::string mark = mark_of(route);
  return std::any_of(tags_.begin(), tags_.end(),
                     [&](const auto& tag) { return tag.second.contains(mark); });
}

RouteMarks::Change RouteMarks::record(const std::set<ExtraRoute>& routes,
                                      std::size_t longest) const {
  std::set<std::string> wanted;
  for (const ExtraRoute& route : routes) wanted.insert(mark_of(route));
  std::set<std::string> fresh = wanted;
  std::vector<std::pair<std::string, std::set<std::string>>> alive;  // of each tag what is wanted
  for (const auto& [tag, marks] : tags_) {
    auto& [name, kept] = alive.emplace_back(tag, std::set<std::string>());
    std::set_intersection(marks.begin(), marks.end(), wanted.begin(), wanted.end(),
                          std::inserter(kept, kept.end()));
    for (const std::string& mark : marks) fresh.erase(mark);
  }
  Change change;
  if (fresh.empty()) return change;
  const std::size_t most = (longest - prefix_.size()) / kMarkLength;
  std::sort(alive.begin(), alive.end(), [](const auto& left, const auto& right) {
    return left.second.size() < right.second.size();
  });
  for (const auto& [tag, marks] : alive) {
    const std::size_t room = (most - fresh.size() % most) % most;
    if (marks.size() > room) break;
    fresh.insert(marks.begin(), marks.end());
    change.remove.push_back(tag);
  }
  std::string tag = prefix_;
  for (const std::string& mark : fresh) {
    tag += mark;
    if (tag.size() + kMarkLength <= longest) continue;
    change.add.push_back(std::exchange(tag, prefix_));
  }
  if (tag != prefix_) change.add.push_back(tag);
  return change;
}

}  // namespace ccm::openstack
