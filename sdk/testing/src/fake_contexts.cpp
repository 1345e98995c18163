#include "ccm/testing/fake_objects.hpp"
#include "fake_operation.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ccm::testing {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

}  // namespace

// A node of the tree.
struct FakeContexts::Node {
  uint64_t id = 0;
  bool background = false;
  std::optional<Milliseconds> deadline;
  int32_t end_code = CCM_CODE_OK;
  std::vector<std::weak_ptr<Node>> children;
  std::map<uint64_t, std::shared_ptr<KeptCallback>> callbacks;
};

struct FakeContexts::Table {
  static FakeCaller& caller(void* self) { return *static_cast<FakeCaller*>(self); }
  static FakeContexts& owner(void* self) {
    return *static_cast<FakeContexts*>(caller(self).service);
  }

  // Null when it is not known; {0} is the caller's background. Under the lock.
  static std::shared_ptr<Node> find(void* self, ccm_ctx ctx) {
    const auto& known = owner(self).known_;
    const auto place = known.find(ctx.id != 0 ? ctx.id : caller(self).background);
    return place != known.end() ? place->second : nullptr;
  }

  static int32_t end_code(const FakeContexts& contexts, const Node& node) {
    if (node.end_code != CCM_CODE_OK) return node.end_code;
    const bool late = node.deadline && *node.deadline <= contexts.loop_.now();
    return late ? CCM_CODE_DEADLINE_EXCEEDED : CCM_CODE_OK;
  }

  static void end(FakeContexts& contexts, const std::shared_ptr<Node>& node, int32_t code) {
    const std::lock_guard lock(contexts.mutex_);
    if (node->end_code != CCM_CODE_OK) return;
    node->end_code = code;
    post_callbacks(contexts, node);
    for (const auto& weak : node->children) {
      if (const auto child = weak.lock()) end(contexts, child, code);
    }
  }
  static void post_callbacks(FakeContexts& contexts, const std::shared_ptr<Node>& node) {
    if (node->callbacks.empty()) return;
    contexts.loop_.post([&contexts, node] { call_back(contexts, *node); });
  }
  static void call_back(FakeContexts& contexts, Node& node) {
    for (;;) {  // one by one: a callback may remove another one
      std::shared_ptr<KeptCallback> callback;
      {
        const std::lock_guard lock(contexts.mutex_);
        if (node.callbacks.empty()) return;
        callback = std::move(node.callbacks.begin()->second);
        node.callbacks.erase(node.callbacks.begin());
      }
      callback->call();
    }
  }
  // Ends it and everything below, which is not known any more either.
  static void forget(FakeContexts& contexts, const std::shared_ptr<Node>& node) {
    end(contexts, node, CCM_CODE_CANCELLED);
    const std::lock_guard lock(contexts.mutex_);
    contexts.known_.erase(node->id);
    for (const auto& weak : node->children) {
      if (const auto child = weak.lock()) forget(contexts, child);
    }
  }

  static std::shared_ptr<Node> add(FakeContexts& contexts) {
    auto node = std::make_shared<Node>();
    node->id = ++contexts.last_id_;
    contexts.known_[node->id] = node;
    return node;
  }

  static ccm_ctx background(void* self) { return {caller(self).background}; }
  static ccm_ctx with_timeout(void* self, ccm_ctx parent_ctx, int64_t timeout_ms) {
    FakeContexts& contexts = owner(self);
    const std::lock_guard lock(contexts.mutex_);
    const auto parent = find(self, parent_ctx);
    const auto node = add(contexts);
    if (!parent) {
      node->end_code = CCM_CODE_CANCELLED;
      return {node->id};
    }
    std::erase_if(parent->children, [](const auto& weak) { return weak.expired(); });
    parent->children.push_back(node);
    node->end_code = parent->end_code;
    node->deadline = parent->deadline;
    if (timeout_ms != kNoLimit) {
      const Milliseconds timeout(std::max<int64_t>(timeout_ms, 0));
      const Milliseconds own = contexts.loop_.now() + timeout;
      node->deadline = node->deadline ? std::min(*node->deadline, own) : own;
      const auto expire = [&contexts, weak = std::weak_ptr(node)] {
        if (const auto due = weak.lock()) end(contexts, due, CCM_CODE_DEADLINE_EXCEEDED);
      };
      contexts.loop_.after(timeout, expire, true);
    }
    return {node->id};
  }
  static void cancel(void* self, ccm_ctx ctx) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto node = ctx.id != 0 ? find(self, ctx) : nullptr;
    if (node && !node->background) forget(owner(self), node);
  }
  static int64_t remaining_ms(void* self, ccm_ctx ctx) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto node = find(self, ctx);
    if (!node || node->end_code != CCM_CODE_OK) return 0;
    return node->deadline ? (*node->deadline - owner(self).loop_.now()).count() : kNoLimit;
  }
  static int32_t end_code(void* self, ccm_ctx ctx) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto node = find(self, ctx);
    return node ? end_code(owner(self), *node) : CCM_CODE_CANCELLED;
  }
  static ccm_bool ended(void* self, ccm_ctx ctx) { return end_code(self, ctx) != CCM_CODE_OK; }
  static uint64_t on_end(void* self, ccm_ctx ctx, ccm_callback callback) {
    FakeContexts& contexts = owner(self);
    auto kept = caller(self).callbacks->keep(callback);
    if (!kept) return 0;
    const std::lock_guard lock(contexts.mutex_);
    const auto node = find(self, ctx);
    const uint64_t registration = ++contexts.last_id_;
    if (!node) {
      contexts.loop_.post([kept = std::move(kept)] { kept->call(); });
      return registration;
    }
    node->callbacks.emplace(registration, std::move(kept));
    if (end_code(contexts, *node) != CCM_CODE_OK) post_callbacks(contexts, node);
    return registration;
  }
  static void remove_on_end(void* self, ccm_ctx ctx, uint64_t registration) {
    std::shared_ptr<KeptCallback> dropped;  // outside the lock
    const std::lock_guard lock(owner(self).mutex_);
    const auto node = find(self, ctx);
    const auto erase = [&](Node& from) {
      const auto place = from.callbacks.find(registration);
      if (place == from.callbacks.end()) return;
      dropped = std::move(place->second);
      from.callbacks.erase(place);
    };
    if (node) erase(*node);
  }
};

FakeContexts::FakeContexts(FakeLoop& loop) : loop_(loop), caller_{this, &callbacks_, 0} {
  table_ = sized<ccm_host_ctx>();
  table_.background = &Table::background;
  table_.with_timeout = &Table::with_timeout;
  table_.cancel = &Table::cancel;
  table_.remaining_ms = &Table::remaining_ms;
  table_.ended = &Table::ended;
  table_.end_code = &Table::end_code;
  table_.on_end = &Table::on_end;
  table_.remove_on_end = &Table::remove_on_end;
  caller_.background = open_background();
}

FakeContexts::~FakeContexts() = default;

Ctx FakeContexts::make(Milliseconds timeout) {
  const std::lock_guard lock(mutex_);
  const int64_t limit = timeout > Milliseconds(0) ? timeout.count() : kNoLimit;
  ++roots_;
  return Ctx(service(), Table::with_timeout(&caller_, {0}, limit));
}

void FakeContexts::cancel(const Ctx& ctx) {
  const std::lock_guard lock(mutex_);
  if (const auto node = Table::find(&caller_, ctx.get())) {
    Table::end(*this, node, CCM_CODE_CANCELLED);
  }
}

std::size_t FakeContexts::live() const {
  const std::lock_guard lock(mutex_);
  return known_.size() - roots_;
}

Status FakeContexts::check(ccm_ctx ctx) {
  {
    const std::lock_guard lock(mutex_);
    if (!Table::find(&caller_, ctx)) return stale_ctx();
  }
  return Ctx(service(), ctx).status();
}

uint64_t FakeContexts::open_background() {
  const std::lock_guard lock(mutex_);
  const auto node = Table::add(*this);
  node->background = true;
  ++roots_;
  return node->id;
}

void FakeContexts::forget(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto place = known_.find(id);
  if (place == known_.end()) return;
  if (place->second->background) --roots_;
  Table::forget(*this, std::shared_ptr<Node>(place->second));
}

}  // namespace ccm::testing
