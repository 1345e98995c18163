#include "tagged_droplets.hpp"

#include "digitalocean/droplet.hpp"
#include "digitalocean/tags/tagging.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::digitalocean {
namespace {

// How long a list of the tag's droplets is trusted; then manual changes are seen.
constexpr std::chrono::milliseconds kReadAgain{300'000};

std::vector<std::string> as_texts(const std::vector<int64_t>& ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const int64_t id : ids) texts.push_back(std::to_string(id));
  return texts;
}

}  // namespace

Task<Status> TaggedDroplets::hold(Ctx ctx, std::string tag, std::vector<int64_t> ids) {
  auto& place = by_tag_[tag];
  if (!place) place = std::make_unique<Members>(host_.post);
  Members& members = *place;
  auto permit = co_await members.turn.acquire();
  members.held.insert(ids.begin(), ids.end());
  if (!members.all || host_.timer.now() - members.read > kReadAgain) {
    Status status = co_await read(ctx, tag, members);
    if (!status.ok()) co_return status;
  }
  Status status = co_await change(ctx, tag, ids, members);
  if (status.ok()) co_return status;
  members.all.reset();  // its progress is unknown
  // Refused because of a missing droplet: that changes without the Service.
  if (status.error_class() == ErrorClass::invalid_spec) status.with_class(ErrorClass::unavailable);
  co_return status;
}

Task<Status> TaggedDroplets::read(Ctx ctx, std::string tag, Members& members) {
  auto listed = co_await droplets_.tagged(ctx, tag);
  if (!listed.ok()) co_return listed.status();
  std::set<int64_t> all;
  for (const Instance& droplet : *listed) {
    const auto id = droplet_id(droplet.provider_id);
    if (id.ok()) all.insert(*id);
  }
  members.all = std::move(all);
  members.read = host_.timer.now();
  co_return Status();
}

Task<Status> TaggedDroplets::change(Ctx ctx, std::string tag, std::vector<int64_t> ids,
                                    Members& members) {
  std::sort(ids.begin(), ids.end());
  std::vector<int64_t> added;
  std::vector<int64_t> removed;
  std::set_difference(ids.begin(), ids.end(), members.all->begin(), members.all->end(),
                      std::back_inserter(added));
  std::set_difference(members.all->begin(), members.all->end(), ids.begin(), ids.end(),
                      std::back_inserter(removed));
  if (!api_.settings().is_own_tag(tag)) {
    std::erase_if(removed, [&](int64_t id) { return !members.held.contains(id); });
  }
  const std::string type = "droplet";
  // The new ones first, so that the load balancers never have none.
  if (!added.empty()) {
    std::vector<std::string> texts = as_texts(added);
    Status status = co_await change_tag(api_, ctx, TagChange::add, tag, type, texts);
    if (!status.ok()) co_return status;
    members.all->insert(added.begin(), added.end());
  }
  if (!removed.empty()) {
    std::vector<std::string> texts = as_texts(removed);
    Status status = co_await change_tag(api_, ctx, TagChange::remove, tag, type, texts);
    if (!status.ok()) co_return status;
    for (const int64_t id : removed) members.all->erase(id);
  }
  co_return Status();
}

}  // namespace ccm::digitalocean
