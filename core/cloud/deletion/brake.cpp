#include "cloud/deletion/brake.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

namespace ccm::cloud {

using runtime::TimePoint;

using std::chrono::milliseconds;

namespace {

milliseconds retry_after(TimePoint when, TimePoint now) {
  return std::max(std::chrono::ceil<milliseconds>(when - now), milliseconds(1));
}

// The entries of a map whose value `holds`.
std::size_t count(const auto& map, auto holds) {
  return static_cast<std::size_t>(std::ranges::count_if(std::views::values(map), holds));
}

}  // namespace

void Brake::observe(const BrakeObservation& observation, TimePoint now) {
  observed_ = true;
  sighted_ = observation.sighted;
  if (!observation.sighted) return;
  std::erase_if(deleted_,
                [&](const auto& entry) { return now - entry.second.at > options_.window; });
  known_ = observation.known;
  // Caches still show recently deleted objects for a moment.
  std::unordered_set<std::string> absent;
  for (const std::string& key : observation.absent) {
    if (deleted_.contains(key)) {
      --known_;
    } else {
      absent.insert(key);
    }
  }
  if (!observation.partial) {
    std::erase_if(absent_, [&](const auto& entry) { return !absent.contains(entry.first); });
  }
  for (const std::string& key : absent) {
    const auto name = observation.names.find(key);
    Absence first{now,   name == observation.names.end() ? key : name->second,
                  false, observation.announced.contains(key),
                  false, false};
    Absence& absence = absent_.try_emplace(key, std::move(first)).first->second;
    absence.terminated = observation.terminated.contains(key);
  }
  std::unordered_set<std::string_view> counted;
  for (const auto& [key, deletion] : deleted_) {
    if (deletion.counted) counted.insert(deletion.name);
  }
  for (auto& [key, absence] : absent_) absence.counted = counted.contains(absence.name);
  // An object that was absent together with too many others stays suspect when others come back: a
  // recovering cloud shows its instances again piece by piece.
  if (used(now) + counting() > limit(now)) {
    for (auto& [key, absence] : absent_) absence.suspect = absence.suspect || !absence.announced;
  }
  contradicted_ = observation.alive > 0 && used(now) + counting() + announced() > limit(now);
  if (suspects() == 0) {
    engaged_since_.reset();
  } else if (!engaged_since_) {
    engaged_since_ = now;
  }
}

BrakeJudgement Brake::judge(const std::string& key, TimePoint now) const {
  const auto found = absent_.find(key);
  if (!sighted_ || !begun_ || found == absent_.end()) return {BrakeVerdict::blind, milliseconds(0)};
  const Absence& absence = found->second;
  if (absence.announced && suspects() == 0 && !contradicted_)
    return {BrakeVerdict::pass, milliseconds(0), false};
  const bool waits_for_hold = absence.suspect || absence.announced;
  const std::size_t gone = used(now);
  if (waits_for_hold) {
    const TimePoint due = absence.since + options_.hold;
    if (now < due) return {BrakeVerdict::over_limit, retry_after(due, now)};
    if (gone >= limit(now) && !absence.counted) return {BrakeVerdict::over_limit, milliseconds(0)};
  }
  const std::size_t alone = gone + (absence.counted ? 0 : 1);
  const std::size_t vanished = waits_for_hold ? alone : gone + counting();
  if (!watched_a_window(now) && vanished > minimum()) {
    return {BrakeVerdict::too_early, retry_after(*begun_ + options_.window, now)};
  }
  return {BrakeVerdict::pass, milliseconds(0)};
}

void Brake::deleting(const std::string& key, bool counted, TimePoint now) {
  const auto found = absent_.find(key);
  Deletion deletion{now, found == absent_.end() ? key : found->second.name, counted};
  if (Deletion* earlier = counted ? counted_of(deletion.name) : nullptr) {
    earlier->at = now;  // the name counts for a window from now on
    deletion.counted = false;
  }
  deleted_[key] = std::move(deletion);
  known_ -= absent_.erase(key);
}

Brake::Deletion* Brake::counted_of(const std::string& name) {
  const auto found = std::find_if(deleted_.begin(), deleted_.end(), [&](const auto& entry) {
    return entry.second.counted && entry.second.name == name;
  });
  return found == deleted_.end() ? nullptr : &found->second;
}

BrakeReport Brake::report(TimePoint now) const {
  BrakeReport report;
  report.held = suspects();
  report.engaged = report.held > 0;
  report.blind = observed_ && !sighted_;
  report.observed = observed_;
  report.known = known_;
  report.absent = absent_.size();
  report.announced = announced();
  report.terminated = count(absent_, &Absence::terminated);
  report.contradicted = contradicted_;
  report.deleted = used(now);
  report.first_window = !watched_a_window(now);
  report.limit = report.first_window ? minimum() : limit(now);
  report.engaged_since = engaged_since_;
  return report;
}

std::size_t Brake::used(TimePoint now) const {
  return count(deleted_, [&](const Deletion& deletion) {
    return deletion.counted && now - deletion.at <= options_.window;
  });
}

// A share of the number before the window's deletions, so that deletions do not tighten it.
std::size_t Brake::limit(TimePoint now) const {
  const std::size_t all = known_ + used(now);
  const std::size_t share = all * static_cast<std::size_t>(std::max(options_.percent, 0)) / 100;
  return std::max(share, minimum());
}

std::size_t Brake::counting() const { return count(absent_, &Absence::counts); }

std::size_t Brake::announced() const { return count(absent_, &Absence::announced); }

std::size_t Brake::suspects() const { return count(absent_, &Absence::suspect); }

}  // namespace ccm::cloud
