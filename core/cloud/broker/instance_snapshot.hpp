// The instances that a provider described at one moment: copied, immutable, compact (5,000 of them
// in about 1 MB) and searchable. Any thread.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::cloud {

class InstanceSnapshot {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using Ptr = std::shared_ptr<const InstanceSnapshot>;

  // Copies a provider's list. An instance that is listed twice under its provider ID counts once,
  // with its last entry. Failure: internal, when the list is malformed, or says of two instances
  // that they have one provider ID.
  static Result<Ptr> copy(const ccm_instance_list* list);
  // Answers to questions: element i answers question i.
  static Result<Ptr> copy_answers(const ccm_instance_list* list);
  static Result<Ptr> copy(const ccm_instance* instance);  // one instance

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  // False when instances may be missing: the provider says so, or one is listed twice. That one
  // moved to another page during the listing, and another may have been skipped.
  [[nodiscard]] bool complete() const { return complete_ && repeats_ == 0; }
  // Beginnings of provider IDs: instances that have one may be missing.
  [[nodiscard]] const std::vector<std::string>& unknown_prefixes() const {
    return unknown_prefixes_;
  }
  // The listing says nothing of that instance when it does not hold it. `provider_id` empty: it is
  // not known.
  [[nodiscard]] bool may_lack(std::string_view provider_id) const;
  // How many entries repeated an earlier one.
  [[nodiscard]] std::size_t repeats() const { return repeats_; }
  [[nodiscard]] int32_t state(std::size_t index) const { return records_[index].state; }
  // Its own one.
  [[nodiscard]] std::string_view provider_id(std::size_t index) const {
    return text(records_[index].provider_id);
  }
  [[nodiscard]] std::string_view name(std::size_t index) const {
    return text(records_[index].name);
  }

  [[nodiscard]] std::size_t address_count(std::size_t index) const {
    return records_[index].address_count;
  }
  [[nodiscard]] std::string_view address(std::size_t index, std::size_t which) const {
    return text(pairs_[records_[index].pairs + which].second);
  }

  [[nodiscard]] std::size_t other_id_count(std::size_t index) const {
    return records_[index].other_id_count;
  }
  [[nodiscard]] std::string_view other_id(std::size_t index, std::size_t which) const {
    return text(other_ids_[records_[index].other_ids + which]);
  }

  // The instance with that provider ID, its own or another one of it, or kNone,
  // as for an empty one.
  [[nodiscard]] std::size_t find_provider_id(std::string_view provider_id) const;
  // The instances of that name that are not terminated, in the order of the listing: a destroyed
  // one may still be listed beside its successor. When all are, the first of them.
  [[nodiscard]] std::vector<std::size_t> find_name(std::string_view name) const;

 private:
  friend class InstanceExport;
  class Builder;
  struct Text {
    uint32_t offset = 0;
    uint32_t length = 0;
  };
  struct Pair {
    Text first;
    Text second;
  };
  struct Record {
    Text provider_id;
    Text name;
    Text instance_type;
    Text zone;
    Text region;
    uint32_t pairs = 0;  // addresses, then labels
    uint32_t address_count = 0;
    uint32_t label_count = 0;
    uint32_t other_ids = 0;
    uint32_t other_id_count = 0;
    int32_t state = CCM_INSTANCE_UNKNOWN;
  };
  InstanceSnapshot() = default;
  static Result<Ptr> copy_list(const ccm_instance_list* list, bool merge);
  [[nodiscard]] std::string_view text(Text place) const {
    return std::string_view(text_).substr(place.offset, place.length);
  }

  std::string text_;
  std::vector<Record> records_;
  std::vector<Pair> pairs_;
  std::vector<Text> other_ids_;
  std::vector<uint32_t> by_provider_id_;  // indices, sorted
  std::vector<std::pair<Text, uint32_t>> by_other_id_;
  std::vector<uint32_t> by_name_;
  std::size_t repeats_ = 0;
  bool complete_ = true;
  std::vector<std::string> unknown_prefixes_;
};

// Instances in the form in which controllers receive them. The texts are borrowed from the
// snapshots, which it keeps alive; the structs live as long as this object does.
class InstanceExport {
 public:
  void add(const InstanceSnapshot::Ptr& snapshot, std::size_t index);
  // An instance of which only this is known. `why`: why no more is; may be ok.
  void add_state(int32_t state, std::string_view name, std::string_view provider_id, Status why);
  // Instances with that provider ID may be missing. OWNERSHIP: borrowed until the last use.
  void add_unknown(std::string_view prefix) { prefixes_.push_back(c_str(prefix)); }

  // After the last add(). OWNERSHIP: borrowed from this object.
  const ccm_instance_list& list();

 private:
  struct Entry {
    std::unique_ptr<ccm_instance> instance;
    std::vector<ccm_node_address> addresses;
    std::vector<ccm_key_value> labels;
    std::vector<ccm_str> other_ids;
    InstanceSnapshot::Ptr keep;
    std::string name;
    std::string provider_id;
    Status why;
    ccm_status raw_why{};
  };
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<const ccm_instance*> pointers_;
  std::vector<ccm_str> prefixes_;
  ccm_instance_list list_{};
};

}  // namespace ccm::cloud
