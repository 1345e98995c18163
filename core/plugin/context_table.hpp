// The contexts that plugins know, by number (ccm/abi/ctx.h, R-40 to R-44). One that is over, was
// never given, or is another plugin's is not found. Any thread.
#pragma once

#include "plugin/context.hpp"

#include <ccm/abi/ctx.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::plugin {

class ContextTable {
 public:
  using Ptr = std::shared_ptr<Context>;
  ContextTable() = default;
  ContextTable(const ContextTable&) = delete;
  ContextTable& operator=(const ContextTable&) = delete;

  // By which the table tells plugins apart; never 0.
  uint32_t number_of(std::string_view plugin);

  // The plugin knows the context until forget().
  ccm_ctx add(uint32_t plugin, Ptr context);
  // A child that the plugin made: known until cancel(), or until its parent is forgotten. {0} when
  // the parent is not known any more.
  ccm_ctx add_child(uint32_t plugin, Ptr context, ccm_ctx parent);

  // Null when the plugin does not know it (any more).
  [[nodiscard]] Ptr find(uint32_t plugin, ccm_ctx ctx) const;

  // Ends a child and forgets it, with all below; any other context is left alone.
  void cancel(uint32_t plugin, ccm_ctx ctx);
  // The same for any context: an operation that was completed has ended its ctx.
  void forget(ccm_ctx ctx);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    uint32_t plugin = 0;
    Ptr context;
    uint64_t parent = 0;  // of a child that the plugin made
    std::unordered_set<uint64_t> children{};
  };
  std::vector<Ptr> take(uint64_t id);  // with all below, itself first; under the lock

  mutable std::mutex mutex_;
  std::map<std::string, uint32_t, std::less<>> plugins_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t last_ = 0;
};

// A context that one plugin knows as long as this lives.
class KnownContext {
 public:
  KnownContext(std::shared_ptr<ContextTable> table, uint32_t plugin, ContextTable::Ptr context)
      : table_(std::move(table)), ctx_(table_->add(plugin, std::move(context))) {}
  ~KnownContext() { table_->forget(ctx_); }
  KnownContext(const KnownContext&) = delete;
  KnownContext& operator=(const KnownContext&) = delete;
  [[nodiscard]] ccm_ctx get() const { return ctx_; }

 private:
  const std::shared_ptr<ContextTable> table_;
  const ccm_ctx ctx_;
};

}  // namespace ccm::plugin
