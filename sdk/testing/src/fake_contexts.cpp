#include "ccm/testing/fake_objects.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ccm::testing {
namespace {

using Milliseconds = std::chrono::milliseconds;

// A node of the tree. Children are kept by their parent and by who holds a handle.
struct Node {
  std::optional<Milliseconds> deadline;
  bool cancelled = false;
  bool told = false;  // the callbacks were posted
  std::vector<std::weak_ptr<Node>> children;
  std::map<uint64_t, std::pair<void (*)(void*), void*>> callbacks;
};

struct Handle {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<Node> node;
};

Handle* handle(const ccm_ctx* ctx) {
  return const_cast<Handle*>(reinterpret_cast<const Handle*>(ctx));
}

bool ended(const Node& node, Milliseconds now) {
  return node.cancelled || (node.deadline && *node.deadline <= now);
}

}  // namespace

struct FakeContexts::Table {
  static FakeContexts& owner(void* self) { return *static_cast<FakeContexts*>(self); }

  static void tell(FakeContexts& contexts, const std::shared_ptr<Node>& node, bool cancelled) {
    const std::lock_guard lock(contexts.mutex_);
    node->cancelled = node->cancelled || cancelled;
    if (!std::exchange(node->told, true)) {
      contexts.loop_.post([&contexts, node] { call_back(contexts, *node); });
    }
    for (const auto& weak : node->children) {
      if (const auto child = weak.lock()) tell(contexts, child, cancelled);
    }
  }
  static void call_back(FakeContexts& contexts, Node& node) {
    for (;;) {  // one by one: a callback may remove another one
      std::pair<void (*)(void*), void*> callback;
      {
        const std::lock_guard lock(contexts.mutex_);
        if (node.callbacks.empty()) return;
        callback = node.callbacks.begin()->second;
        node.callbacks.erase(node.callbacks.begin());
      }
      callback.first(callback.second);
    }
  }

  static const ccm_ctx* give(FakeContexts& contexts, std::shared_ptr<Node> node) {
    auto fresh = std::make_unique<Handle>();
    fresh->node = std::move(node);
    ++contexts.live_;
    return reinterpret_cast<const ccm_ctx*>(fresh.release());
  }
  static std::shared_ptr<Node> child(FakeContexts& contexts, Node* parent,
                                     std::optional<Milliseconds> timeout) {
    const std::lock_guard lock(contexts.mutex_);
    auto node = std::make_shared<Node>();
    if (parent != nullptr) {
      parent->children.push_back(node);
      node->cancelled = parent->cancelled;
      node->deadline = parent->deadline;
    }
    if (timeout) {
      const Milliseconds own = contexts.loop_.now() + *timeout;
      node->deadline = node->deadline ? std::min(*node->deadline, own) : own;
      const auto expire = [&contexts, weak = std::weak_ptr(node)] {
        if (const auto due = weak.lock()) tell(contexts, due, false);
      };
      contexts.loop_.after(*timeout, expire, true);
    }
    return node;
  }

  static void retain(void*, const ccm_ctx* ctx) { ++handle(ctx)->references; }
  static void release(void* self, const ccm_ctx* ctx) {
    if (--handle(ctx)->references > 0) return;
    delete handle(ctx);
    --owner(self).live_;
  }
  static const ccm_ctx* background(void* self) {
    return give(owner(self), child(owner(self), nullptr, std::nullopt));
  }
  static const ccm_ctx* with_timeout(void* self, const ccm_ctx* parent, int64_t timeout_ms) {
    Node* node = parent != nullptr ? handle(parent)->node.get() : nullptr;
    return give(owner(self), child(owner(self), node, Milliseconds(timeout_ms)));
  }
  static int64_t remaining_ms(void* self, const ccm_ctx* ctx) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto& deadline = handle(ctx)->node->deadline;
    return deadline ? (*deadline - owner(self).loop_.now()).count() : INT64_MAX;
  }
  static bool cancelled(void* self, const ccm_ctx* ctx) {
    const std::lock_guard lock(owner(self).mutex_);
    return ended(*handle(ctx)->node, owner(self).loop_.now());
  }
  static uint64_t on_cancel(void* self, const ccm_ctx* ctx, void (*fn)(void*), void* callee) {
    const std::lock_guard lock(owner(self).mutex_);
    const auto& node = handle(ctx)->node;
    node->callbacks.emplace(++owner(self).last_registration_, std::pair(fn, callee));
    if (ended(*node, owner(self).loop_.now())) {
      node->told = false;
      tell(owner(self), node, false);
    }
    return owner(self).last_registration_;
  }
  static void remove_on_cancel(void* self, const ccm_ctx* ctx, uint64_t registration) {
    const std::lock_guard lock(owner(self).mutex_);
    handle(ctx)->node->callbacks.erase(registration);
  }
};

FakeContexts::FakeContexts(FakeLoop& loop) : loop_(loop) {
  table_ = {sizeof(table_),      0,
            Table::retain,       Table::release,
            Table::background,   Table::with_timeout,
            Table::remaining_ms, Table::cancelled,
            Table::on_cancel,    Table::remove_on_cancel};
}

Ctx FakeContexts::make(Milliseconds timeout) {
  std::optional<Milliseconds> limit;
  if (timeout > Milliseconds(0)) limit = timeout;
  const ccm_ctx* raw = Table::give(*this, Table::child(*this, nullptr, limit));
  Ctx ctx(service(), raw);
  Table::release(this, raw);  // the Ctx has a reference of its own
  return ctx;
}

void FakeContexts::cancel(const Ctx& ctx) { Table::tell(*this, handle(ctx.get())->node, true); }

}  // namespace ccm::testing
