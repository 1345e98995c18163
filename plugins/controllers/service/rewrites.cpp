#include "rewrites.hpp"

#include "hash.hpp"
#include "ingress.hpp"

#include <ccm/json_writer.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// The first two tries come at once: a person's mistake is mended without delay.
constexpr milliseconds kFirstPause{10'000};
constexpr milliseconds kLongestPause{600'000};
constexpr milliseconds kQuiet{3'600'000};
constexpr int kReportAfter = 3;
constexpr size_t kNameLimit = 128;  // Kubernetes' own, of field managers

uint64_t hash_of_ingress(const ServicePatch& patch) {
  if (!patch.ingress || patch.ingress->empty()) return 0;
  JsonWriter json;
  write_ingress(json, *patch.ingress);
  return Hash().add(std::move(json).str()).value();
}

uint64_t hash_of_annotations(const ServicePatch& patch) {
  Hash hash;
  bool any = false;
  for (const Label& annotation : patch.annotations) {
    if (annotation.value.empty()) continue;
    any = true;
    hash.add(annotation.key).add(annotation.value);
  }
  return any ? hash.value() : 0;
}

bool same(uint64_t before, uint64_t now) { return now != 0 && before == now; }

}  // namespace

void Rewrites::written(const ServicePatch& patch) {
  if (const uint64_t now = hash_of_ingress(patch)) ingress_ = now;
  if (const uint64_t now = hash_of_annotations(patch)) annotations_ = now;
}

bool Rewrites::repeats_addresses(const ServicePatch& patch) const {
  return same(ingress_, hash_of_ingress(patch));
}

bool Rewrites::repeats(const ServicePatch& patch) const {
  return repeats_addresses(patch) || same(annotations_, hash_of_annotations(patch));
}

void Rewrites::leave_out(ServicePatch& patch) const {
  if (repeats_addresses(patch)) patch.ingress.reset();
  if (same(annotations_, hash_of_annotations(patch))) patch.annotations.clear();
}

bool Rewrites::again(Milliseconds now) {
  if (now < due_) return false;
  if (times_ > 0 && now - last_ > kQuiet) {
    times_ = 0;
    reported_ = false;
  }
  ++times_;
  last_ = now;
  due_ = milliseconds(0);
  if (times_ > 1) {
    const int doublings = std::min(times_ - 2, 10);
    due_ = now + std::min(kFirstPause * (1 << doublings), kLongestPause);
  }
  return true;
}

bool Rewrites::worth_reporting(bool replaced) {
  if (reported_ || (!replaced && times_ < kReportAfter)) return false;
  reported_ = true;
  return true;
}

std::string writer_of(const Object& service, bool of_addresses, std::string_view own) {
  std::string_view best;
  std::pair<int, std::string_view> rank{-1, {}};
  service.at("/metadata/managedFields").each([&](std::string_view, const Value& entry) {
    const std::string_view manager = entry.text("/manager");
    if (manager.empty() || manager.size() > kNameLimit) return;
    const bool fits = of_addresses && entry.at("/fieldsV1/f:status/f:loadBalancer").exists();
    const int kind = (fits ? 2 : 0) + (manager != own ? 1 : 0);
    // Among entries of one kind the last one counts; the times have one length and sort as texts.
    const std::pair<int, std::string_view> of_this{kind, entry.text("/time")};
    if (of_this < rank) return;
    rank = of_this;
    best = manager;
  });
  return best.empty() ? "another program" : std::string(best);
}

}  // namespace ccm::service
