#include "plugin/context.hpp"

namespace ccm::plugin {
using std::chrono::milliseconds;

std::shared_ptr<Context> Context::root(runtime::EventLoop& loop, runtime::Timers& timers,
                                       Fields fields) {
  return std::shared_ptr<Context>(new Context(loop, timers, std::move(fields)));
}

Context::~Context() {
  if (timer_ != 0) timers_.cancel(timer_);
}

std::shared_ptr<Context> Context::child(std::optional<milliseconds> timeout, Fields fields,
                                        std::shared_ptr<Origin> origin) {
  std::shared_ptr<Context> made(new Context(loop_, timers_, std::move(fields)));
  made->origin_ = origin ? std::move(origin) : origin_;
  made->parent_ = shared_from_this();
  made->deadline_ = deadline_;
  if (timeout) {
    const auto due = timers_.now() + *timeout;
    if (!deadline_ || due < *deadline_) {
      made->deadline_ = due;
      made->timer_ = timers_.after(*timeout, [weak = std::weak_ptr(made)] {
        if (const auto self = weak.lock()) self->end(End::expired);
      });
    }
  }
  adopt(made);
  return made;
}

void Context::adopt(const std::shared_ptr<Context>& child) {
  {
    const std::lock_guard lock(mutex_);
    if (end_ == End::none) {
      if (children_.size() >= prune_at_) {
        std::erase_if(children_, [](const auto& weak) { return weak.expired(); });
        prune_at_ = std::max<std::size_t>(16, children_.size() * 2);
      }
      children_.push_back(child);
      return;
    }
  }
  child->end(end_);
}

void Context::end(End reason) {
  std::vector<std::weak_ptr<Context>> children;
  {
    const std::lock_guard lock(mutex_);
    if (end_ != End::none) return;
    end_ = reason;
    children.swap(children_);
    if (!callbacks_.empty()) post_callbacks();
  }
  for (const auto& weak : children) {
    if (const auto child = weak.lock()) child->end(reason);
  }
}

Status Context::status() const {
  if (end_ == End::cancelled) return Status(Code::cancelled, "the operation was cancelled");
  if (!ended()) return {};
  return Status(Code::deadline_exceeded, ErrorClass::unavailable,
                "the operation's deadline has passed");
}

std::optional<milliseconds> Context::remaining() const {
  if (end_ != End::none) return milliseconds(0);
  if (!deadline_) return std::nullopt;
  return std::chrono::ceil<milliseconds>(*deadline_ - timers_.now());
}

uint64_t Context::on_end(std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  callbacks_.emplace(++last_registration_, std::move(fn));
  if (end_ != End::none) post_callbacks();
  return last_registration_;
}

void Context::remove(uint64_t registration) {
  std::function<void()> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto place = callbacks_.find(registration);
  if (place == callbacks_.end()) return;
  dropped = std::move(place->second);
  callbacks_.erase(place);
}

Context::Fields Context::fields() const {
  Fields all = parent_ ? parent_->fields() : Fields{};
  all.insert(all.end(), fields_.begin(), fields_.end());
  return all;
}

// One at a time, because each may remove the others.
void Context::run_callbacks() {
  while (true) {
    std::function<void()> fn;
    {
      const std::lock_guard lock(mutex_);
      if (callbacks_.empty()) return;
      fn = std::move(callbacks_.begin()->second);
      callbacks_.erase(callbacks_.begin());
    }
    fn();
  }
}

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
