#include "plugin/context_table.hpp"

#include <utility>
#include <vector>

namespace ccm::plugin {

uint32_t ContextTable::number_of(std::string_view plugin) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(plugins_.size() + 1);
  return plugins_.try_emplace(std::string(plugin), next).first->second;
}

ccm_ctx ContextTable::add(uint32_t plugin, Ptr context) {
  const std::lock_guard lock(mutex_);
  const uint64_t id = ++last_;
  entries_.emplace(id, Entry{plugin, std::move(context)});
  return {id};
}

ccm_ctx ContextTable::add_child(uint32_t plugin, Ptr context, ccm_ctx parent) {
  const std::lock_guard lock(mutex_);
  const auto above = entries_.find(parent.id);
  if (above == entries_.end() || above->second.plugin != plugin) return {0};
  const uint64_t id = ++last_;
  above->second.children.insert(id);
  entries_.emplace(id, Entry{plugin, std::move(context), parent.id});
  return {id};
}

ContextTable::Ptr ContextTable::find(uint32_t plugin, ccm_ctx ctx) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(ctx.id);
  if (found == entries_.end() || found->second.plugin != plugin) return nullptr;
  return found->second.context;
}

std::vector<ContextTable::Ptr> ContextTable::take(uint64_t id) {
  std::vector<Ptr> all;
  std::vector<uint64_t> open{id};
  while (!open.empty()) {
    auto taken = entries_.extract(open.back());
    open.pop_back();
    if (taken.empty()) continue;
    Entry& entry = taken.mapped();
    open.insert(open.end(), entry.children.begin(), entry.children.end());
    const auto above = entries_.find(entry.parent);
    if (above != entries_.end()) above->second.children.erase(taken.key());
    all.push_back(std::move(entry.context));
  }
  return all;
}

void ContextTable::cancel(uint32_t plugin, ccm_ctx ctx) {
  std::vector<Ptr> taken;  // all alive until the first one has ended those below
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(ctx.id);
    if (found == entries_.end() || found->second.plugin != plugin || found->second.parent == 0) {
      return;
    }
    taken = take(ctx.id);
  }
  taken.front()->cancel();
}

void ContextTable::forget(ccm_ctx ctx) {
  std::vector<Ptr> taken;
  {
    const std::lock_guard lock(mutex_);
    taken = take(ctx.id);
  }
  if (!taken.empty()) taken.front()->cancel();
}

std::size_t ContextTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace ccm::plugin
