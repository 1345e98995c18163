#include "cloud/broker/instance_snapshot.hpp"

#include "base/text.hpp"
#include "cloud/broker/abi_structs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace ccm::cloud {

namespace {

// Offsets are 32 bits wide; no cloud's description of its instances is that long.
constexpr std::size_t kTextLimit = std::numeric_limits<uint32_t>::max() / 2;

// A state unknown to this host proves nothing, and neither does an instance whose identity is not
// text.
int32_t state_of(const ccm_instance& instance) {
  const bool known =
      instance.state >= CCM_INSTANCE_UNKNOWN && instance.state <= CCM_INSTANCE_STARTING;
  if (!known || !is_utf8(view(instance.name)) || !is_utf8(view(instance.provider_id))) {
    return CCM_INSTANCE_UNKNOWN;
  }
  return instance.state;
}

}  // namespace

// Equal texts (types, zones, kinds of addresses, labels) are kept once.
class InstanceSnapshot::Builder {
 public:
  Status add(const ccm_instance* given) {
    if (given == nullptr || !CCM_HAS(given, name)) {
      return Status(Code::internal, "the provider described an instance by a malformed struct");
    }
    const ccm_instance instance = known(given);
    if (!sound_list(instance.addresses, instance.address_count) ||
        !sound_list(instance.labels, instance.label_count) ||
        !sound_list(instance.other_ids, instance.other_id_count)) {
      return Status(Code::internal, "the provider described an instance by malformed lists");
    }
    Record record;
    record.state = state_of(instance);
    record.provider_id = append(view(instance.provider_id));
    record.name = append(view(instance.name));
    record.instance_type = intern(view(instance.instance_type));
    record.zone = intern(view(instance.zone));
    record.region = intern(view(instance.region));
    record.pairs = static_cast<uint32_t>(snapshot_->pairs_.size());
    for (std::size_t index = 0; index < instance.address_count; ++index) {
      const ccm_node_address& address = instance.addresses[index];
      snapshot_->pairs_.push_back({intern(view(address.type)), append(view(address.address))});
    }
    record.address_count = static_cast<uint32_t>(instance.address_count);
    for (std::size_t index = 0; index < instance.label_count; ++index) {
      const ccm_key_value& label = instance.labels[index];
      snapshot_->pairs_.push_back({intern(view(label.key)), intern(view(label.value))});
    }
    record.label_count = static_cast<uint32_t>(instance.label_count);
    add_other_ids(instance, record);
    snapshot_->records_.push_back(record);
    if (snapshot_->text_.size() < kTextLimit) return {};
    return Status(Code::resource_exhausted, "the provider's list of instances is too long");
  }

  void reserve(std::size_t count) { snapshot_->records_.reserve(count); }

  Ptr finish() {
    InstanceSnapshot& made = *snapshot_;
    made.text_.shrink_to_fit();
    made.records_.shrink_to_fit();
    made.pairs_.shrink_to_fit();
    made.by_provider_id_ = sorted([&](uint32_t index) { return made.provider_id(index); });
    index_other_ids();
    made.by_name_ = sorted([&](uint32_t index) { return made.name(index); });
    return snapshot_;
  }

  // Before finish().
  void merge_repeats() {
    InstanceSnapshot& made = *snapshot_;
    const auto by_id = sorted([&](uint32_t index) { return made.provider_id(index); });
    std::vector<bool> repeated(made.records_.size());
    for (std::size_t place = 1; place < by_id.size(); ++place) {
      const auto id = made.provider_id(by_id[place]);
      if (id.empty() || id != made.provider_id(by_id[place - 1])) continue;
      repeated[by_id[place - 1]] = true;
      ++made.repeats_;
    }
    if (made.repeats_ == 0) return;
    std::vector<Record> once;
    once.reserve(made.records_.size() - made.repeats_);
    for (std::size_t index = 0; index < repeated.size(); ++index) {
      if (!repeated[index]) once.push_back(made.records_[index]);
    }
    made.records_ = std::move(once);
  }

  // After finish(). A provider ID that two instances have says nothing of either.
  [[nodiscard]] Status check_ids() const {
    const InstanceSnapshot& made = *snapshot_;
    const auto& others = made.by_other_id_;
    for (std::size_t place = 0; place < others.size(); ++place) {
      const auto& [id, index] = others[place];
      const bool repeated = place > 0 && others[place - 1].second != index &&
                            made.text(others[place - 1].first) == made.text(id);
      if (!repeated && made.find_provider_id(made.text(id)) == index) continue;
      return Status(Code::internal, "the provider lists two instances with the provider ID \"" +
                                        std::string(made.text(id)) + "\"");
    }
    return {};
  }

  // An empty prefix is every instance's.
  void add_unknown(std::string_view prefix) {
    if (prefix.empty()) snapshot_->complete_ = false;
    snapshot_->unknown_prefixes_.emplace_back(prefix);
  }

 private:
  void add_other_ids(const ccm_instance& instance, Record& record) {
    record.other_ids = static_cast<uint32_t>(snapshot_->other_ids_.size());
    for (std::size_t index = 0; index < instance.other_id_count; ++index) {
      const std::string_view id = view(instance.other_ids[index]);
      if (id.empty() || id == view(instance.provider_id)) continue;
      snapshot_->other_ids_.push_back(append(id));
      ++record.other_id_count;
    }
  }

  void index_other_ids() {
    InstanceSnapshot& made = *snapshot_;
    made.other_ids_.shrink_to_fit();
    made.by_other_id_.reserve(made.other_ids_.size());
    for (uint32_t index = 0; index < made.records_.size(); ++index) {
      const Record& record = made.records_[index];
      for (uint32_t which = 0; which < record.other_id_count; ++which) {
        made.by_other_id_.emplace_back(made.other_ids_[record.other_ids + which], index);
      }
    }
    std::ranges::sort(made.by_other_id_, [&](const auto& left, const auto& right) {
      return made.text(left.first) < made.text(right.first);
    });
  }

  // Text that is not UTF-8 could not be sent to Kubernetes.
  Text append(std::string_view given) {
    const std::string repaired = is_utf8(given) ? std::string() : utf8_text(given);
    const std::string_view text = repaired.empty() ? given : repaired;
    const Text place{static_cast<uint32_t>(snapshot_->text_.size()),
                     static_cast<uint32_t>(text.size())};
    snapshot_->text_ += text;
    return place;
  }

  // Indices of the records in the order of a text; equal ones in the order of the listing.
  template <typename TextOf>
  std::vector<uint32_t> sorted(TextOf text_of) const {
    std::vector<uint32_t> index(snapshot_->records_.size());
    std::iota(index.begin(), index.end(), 0u);
    std::stable_sort(index.begin(), index.end(),
                     [&](uint32_t left, uint32_t right) { return text_of(left) < text_of(right); });
    return index;
  }

  Text intern(std::string_view text) {
    if (text.empty()) return {};
    const auto known = interned_.find(std::string(text));
    if (known != interned_.end()) return known->second;
    return interned_.emplace(std::string(text), append(text)).first->second;
  }

  std::shared_ptr<InstanceSnapshot> snapshot_{new InstanceSnapshot};
  std::unordered_map<std::string, Text> interned_;
};

Result<InstanceSnapshot::Ptr> InstanceSnapshot::copy(const ccm_instance_list* list) {
  return copy_list(list, true);
}

Result<InstanceSnapshot::Ptr> InstanceSnapshot::copy_answers(const ccm_instance_list* list) {
  return copy_list(list, false);
}

Result<InstanceSnapshot::Ptr> InstanceSnapshot::copy_list(const ccm_instance_list* given,
                                                          bool merge) {
  if (given == nullptr || !CCM_HAS(given, count) ||
      !sound_list(given->instances, given->count, kThingLimit)) {
    return Status(Code::internal, "the provider completed a listing without a list");
  }
  const ccm_instance_list list = known(given);
  if (!sound_list(list.unknown_prefixes, list.unknown_prefix_count)) {
    return Status(Code::internal, "the provider completed a listing with malformed prefixes");
  }
  Builder builder;
  builder.reserve(std::min<std::size_t>(list.count, 100'000));
  for (std::size_t index = 0; index < list.count; ++index) {
    Status added = builder.add(list.instances[index]);
    if (!added.ok()) return added;
  }
  if (merge) builder.merge_repeats();
  for (std::size_t index = 0; index < list.unknown_prefix_count; ++index) {
    builder.add_unknown(view(list.unknown_prefixes[index]));
  }
  Ptr made = builder.finish();
  const Status unique = merge ? builder.check_ids() : Status();
  if (!unique.ok()) return unique;
  return made;
}

Result<InstanceSnapshot::Ptr> InstanceSnapshot::copy(const ccm_instance* instance) {
  Builder builder;
  Status added = builder.add(instance);
  if (!added.ok()) return added;
  return builder.finish();
}

std::size_t InstanceSnapshot::find_provider_id(std::string_view wanted) const {
  if (wanted.empty()) return kNone;
  const auto found = std::lower_bound(
      by_provider_id_.begin(), by_provider_id_.end(), wanted,
      [this](uint32_t index, std::string_view text) { return provider_id(index) < text; });
  if (found != by_provider_id_.end() && provider_id(*found) == wanted) return *found;
  const auto other = std::lower_bound(
      by_other_id_.begin(), by_other_id_.end(), wanted,
      [this](const auto& entry, std::string_view id) { return text(entry.first) < id; });
  if (other == by_other_id_.end() || text(other->first) != wanted) return kNone;
  return other->second;
}

bool InstanceSnapshot::may_lack(std::string_view wanted) const {
  if (wanted.empty()) return !unknown_prefixes_.empty();
  return std::any_of(unknown_prefixes_.begin(), unknown_prefixes_.end(),
                     [&](const std::string& prefix) { return wanted.starts_with(prefix); });
}

std::vector<std::size_t> InstanceSnapshot::find_name(std::string_view wanted) const {
  auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), wanted,
      [this](uint32_t index, std::string_view text) { return name(index) < text; });
  std::vector<std::size_t> all;
  for (; found != by_name_.end() && name(*found) == wanted; ++found) all.push_back(*found);
  if (all.empty()) return all;
  const std::size_t first = all.front();
  std::erase_if(all, [this](std::size_t index) { return state(index) == CCM_INSTANCE_TERMINATED; });
  if (all.empty()) all.push_back(first);
  return all;
}

void InstanceExport::add(const InstanceSnapshot::Ptr& snapshot, std::size_t index) {
  const InstanceSnapshot::Record& record = snapshot->records_[index];
  auto entry = std::make_unique<Entry>();
  const auto* pair = snapshot->pairs_.data() + record.pairs;
  for (uint32_t count = 0; count < record.address_count; ++count, ++pair) {
    entry->addresses.push_back(
        {c_str(snapshot->text(pair->first)), c_str(snapshot->text(pair->second))});
  }
  for (uint32_t count = 0; count < record.label_count; ++count, ++pair) {
    entry->labels.push_back(
        {c_str(snapshot->text(pair->first)), c_str(snapshot->text(pair->second))});
  }
  for (std::size_t which = 0; which < record.other_id_count; ++which) {
    entry->other_ids.push_back(c_str(snapshot->other_id(index, which)));
  }
  entry->instance = std::make_unique<ccm_instance>(sized<ccm_instance>());
  ccm_instance& raw = *entry->instance;
  raw.state = record.state;
  raw.provider_id = c_str(snapshot->text(record.provider_id));
  raw.name = c_str(snapshot->text(record.name));
  raw.instance_type = c_str(snapshot->text(record.instance_type));
  raw.zone = c_str(snapshot->text(record.zone));
  raw.region = c_str(snapshot->text(record.region));
  raw.addresses = entry->addresses.data();
  raw.address_count = entry->addresses.size();
  raw.labels = entry->labels.data();
  raw.label_count = entry->labels.size();
  raw.other_ids = entry->other_ids.data();
  raw.other_id_count = entry->other_ids.size();
  entry->keep = snapshot;
  entries_.push_back(std::move(entry));
}

void InstanceExport::add_state(int32_t state, std::string_view name, std::string_view provider_id,
                               Status why) {
  auto entry = std::make_unique<Entry>();
  entry->name = name;
  entry->provider_id = provider_id;
  entry->instance = std::make_unique<ccm_instance>(sized<ccm_instance>());
  entry->instance->state = state;
  entry->instance->name = c_str(entry->name);
  entry->instance->provider_id = c_str(entry->provider_id);
  if (!why.ok()) {
    entry->why = std::move(why);
    entry->raw_why = entry->why.to_c();
    entry->instance->why = &entry->raw_why;
  }
  entries_.push_back(std::move(entry));
}

const ccm_instance_list& InstanceExport::list() {
  pointers_.clear();
  for (const auto& entry : entries_) pointers_.push_back(entry->instance.get());
  list_ = sized<ccm_instance_list>();
  list_.instances = pointers_.data();
  list_.count = pointers_.size();
  list_.unknown_prefixes = prefixes_.data();
  list_.unknown_prefix_count = prefixes_.size();
  return list_;
}

}  // namespace ccm::cloud
