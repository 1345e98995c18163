#include "missing_droplets.hpp"

#include "digitalocean/droplet.hpp"
#include "digitalocean/text.hpp"

#include <set>
#include <string>
#include <vector>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBelieved{600'000};
constexpr milliseconds kForgotten{3'600'000};  // not asked for: the Node is gone too
constexpr milliseconds kPause{10'000};         // between two looks

}  // namespace

Task<bool> MissingDroplets::take_out_refused(Ctx ctx, std::vector<int64_t>& ids) {
  co_await look(ctx, ids);
  co_return take_out(ids) && !ids.empty();
}

Task<bool> MissingDroplets::take_out_known(Ctx ctx, std::vector<int64_t>& ids) {
  for (const int64_t id : ids) {
    const auto place = gone_.find(id);
    const milliseconds now = host_.timer.now();
    if (place == gone_.end() || now - place->second < kBelieved) continue;
    place->second = now;  // callers meanwhile share the look
    auto droplet = co_await droplets_.get(ctx, id);
    if (droplet.ok()) gone_.erase(id);
  }
  co_return take_out(ids);
}

Task<> MissingDroplets::look(Ctx ctx, std::vector<int64_t> ids) {
  const size_t asked = ids.size();
  auto permit = co_await turn_.acquire();
  if (host_.timer.now() < next_look_) co_return;
  next_look_ = host_.timer.now() + kPause;
  auto listed = co_await droplets_.list(ctx);
  if (!listed.ok()) co_return;
  std::set<int64_t> there;
  for (const Instance& droplet : *listed) {
    const auto id = droplet_id(droplet.provider_id);
    if (id.ok()) there.insert(*id);
  }
  std::erase_if(ids, [&](int64_t id) { return there.contains(id); });
  if (ids.size() == asked) co_return;  // then rather the token cannot see them
  std::vector<int64_t> gone;
  for (const int64_t id : ids) {
    auto droplet = co_await droplets_.get(ctx, id);
    if (droplet.ok()) continue;
    if (droplet.status().error_class() != ErrorClass::not_found) co_return;
    gone.push_back(id);
  }
  const milliseconds now = host_.timer.now();
  std::erase_if(gone_, [&](const auto& entry) { return now - entry.second > kForgotten; });
  std::vector<std::string> names;
  for (const int64_t id : gone) {
    gone_[id] = now;
    names.push_back(std::to_string(id));
  }
  if (names.empty()) co_return;
  host_.log.warning("Droplets are gone although their nodes are there; they get no traffic",
                    {{"droplets", joined(names)}});
}

bool MissingDroplets::take_out(std::vector<int64_t>& ids) const {
  return std::erase_if(ids, [&](int64_t id) { return gone_.contains(id); }) > 0;
}

}  // namespace ccm::digitalocean
