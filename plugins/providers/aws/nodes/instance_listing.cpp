#include "instance_listing.hpp"

#include <algorithm>
#include <cstdint>

namespace ccm::aws {
namespace {

// Further words are written out, so that a search among them stays short.
constexpr size_t kMostWords = 64;

// Writes fields one behind the other: numbers of seven bits a byte, texts behind their lengths, and
// words as their place in a list.
class Packer {
 public:
  Packer(std::string& bytes, std::vector<std::string>& words) : bytes_(bytes), words_(words) {}

  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void integer(int64_t value) { number(static_cast<uint64_t>(value)); }
  void flag(bool value) { number(value ? 1 : 0); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  void word(const std::string& value) {
    const auto known = std::find(words_.begin(), words_.end(), value);
    const auto place = static_cast<size_t>(known - words_.begin());
    number(place);
    if (place == kMostWords) return text(value);
    if (known == words_.end()) words_.push_back(value);
  }
  template <typename List, typename Visit>
  void list(const List& values, Visit visit) {
    number(values.size());
    for (const auto& value : values) visit(value);
  }

 private:
  std::string& bytes_;
  std::vector<std::string>& words_;
};

// Reads what a Packer wrote.
class Unpacker {
 public:
  Unpacker(const std::string& bytes, size_t place, const std::vector<std::string>& words)
      : rest_(std::string_view(bytes).substr(place)), words_(words) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string_view text() {
    const size_t length = number();
    const std::string_view value = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return value;
  }

  void integer(int64_t& value) { value = static_cast<int64_t>(number()); }
  void flag(bool& value) { value = number() != 0; }
  void text(std::string& value) { value = text(); }
  void word(std::string& value) {
    const size_t place = number();
    value = place == kMostWords ? text() : std::string_view(words_[place]);
  }
  template <typename List, typename Visit>
  void list(List& values, Visit visit) {
    for (auto left = number(); left > 0; --left) {
      values.push_back({});
      visit(values.back());
    }
  }

 private:
  std::string_view rest_;
  const std::vector<std::string>& words_;
};

// All fields of an instance in their order, the id first; `form` writes or reads them.
template <typename Form, typename Instance>
void each_field(Form& form, Instance& instance) {
  form.text(instance.id);
  form.word(instance.type);
  form.word(instance.state);
  form.word(instance.zone);
  form.word(instance.vpc_id);
  form.text(instance.private_dns_name);
  form.text(instance.public_dns_name);
  form.text(instance.public_address);
  form.flag(instance.source_dest_check);
  form.list(instance.cards, [&](auto& card) {
    form.text(card.id);
    form.integer(card.device_index);
    form.flag(card.source_dest_check);
    form.list(card.private_addresses, [&](auto& address) { form.text(address); });
    form.list(card.ipv6_addresses, [&](auto& address) { form.text(address); });
  });
  form.list(instance.security_groups, [&](auto& group) { form.word(group); });
  form.list(instance.tags, [&](auto& tag) {
    form.word(tag.first);
    form.text(tag.second);
  });
}

}  // namespace

void InstanceListing::add(const Ec2Instance& instance) {
  places_.push_back(bytes_.size());
  Packer packer(bytes_, words_);
  each_field(packer, instance);
}

void InstanceListing::finish() {
  // The last one of an id comes first.
  const auto before = [this](size_t left, size_t right) {
    const int order = id_at(left).compare(id_at(right));
    return order != 0 ? order < 0 : left > right;
  };
  const auto same = [this](size_t left, size_t right) { return id_at(left) == id_at(right); };
  std::sort(places_.begin(), places_.end(), before);
  places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
  places_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

std::string_view InstanceListing::id_at(size_t place) const {
  return Unpacker(bytes_, place, words_).text();
}

Ec2Instance InstanceListing::operator[](size_t index) const {
  Ec2Instance instance;
  Unpacker unpacker(bytes_, places_[index], words_);
  each_field(unpacker, instance);
  return instance;
}

std::optional<Ec2Instance> InstanceListing::find(std::string_view id) const {
  const auto place = std::lower_bound(
      places_.begin(), places_.end(), id,
      [this](size_t index, std::string_view wanted) { return id_at(index) < wanted; });
  if (place == places_.end() || id_at(*place) != id) return std::nullopt;
  return (*this)[static_cast<size_t>(place - places_.begin())];
}

}  // namespace ccm::aws
