#include "cloud/broker/lookalikes.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <charconv>
#include <utility>

namespace ccm::cloud {

namespace {

constexpr std::string_view kProvidedNodeIp =
    "/metadata/annotations/alpha.kubernetes.io~1provided-node-ip";

// As a host name: the kubelet of server "md-0-v1.26" may call itself "md-0-v1-26".
std::string plain(std::string_view name) {
  std::string text = lower_case(name);
  for (char& c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!kept) c = '-';
  }
  return text;
}

std::string_view without_domain(std::string_view name) { return name.substr(0, name.find('.')); }

void note(std::unordered_map<std::string, std::size_t>& index, std::string key,
          std::size_t instance) {
  const auto [place, fresh] = index.try_emplace(std::move(key), instance);
  if (!fresh && place->second != instance) place->second = InstanceSnapshot::kNone;
}

std::vector<std::string> addresses_of(const kube::Object& node) {
  std::vector<std::string> addresses;
  const std::string_view given = node.text_at(kProvidedNodeIp);
  if (!given.empty()) addresses.emplace_back(given.substr(0, given.find(',')));
  node.each(node.find("/status/addresses"), [&](std::string_view, kube::Object::Position entry) {
    const std::string_view type = node.text(node.member(entry, "type"));
    if (type == "InternalIP" || type == "ExternalIP") {
      addresses.emplace_back(node.text(node.member(entry, "address")));
    }
    return addresses.size() < 8;
  });
  return addresses;
}

}  // namespace

void Lookalikes::forget() {
  listing_.reset();
  by_address_ = {};
  by_name_ = {};
}

void Lookalikes::read(const InstanceSnapshot::Ptr& listing) {
  forget();
  listing_ = listing;
  for (std::size_t instance = 0; instance < listing->size(); ++instance) {
    for (std::size_t index = 0; index < listing->address_count(instance); ++index) {
      note(by_address_, std::string(listing->address(instance, index)), instance);
    }
    const std::string_view name = listing->name(instance);
    if (name.empty()) continue;
    note(by_name_, plain(name), instance);
    note(by_name_, plain(without_domain(name)), instance);
  }
}

std::string Lookalikes::text(std::size_t instance, std::string_view what) const {
  return "instance \"" + std::string(listing_->name(instance)) + "\" (" +
         std::string(listing_->provider_id(instance)) + ") has " + std::string(what);
}

std::string Lookalikes::find(const InstanceSnapshot::Ptr& listing, const InstanceQuery& query) {
  if (!listing || !query.provider_id.empty()) return {};
  if (listing_ != listing) read(listing);
  const auto look = [](const Index& index, const std::string& key) {
    const auto found = index.find(key);
    return found == index.end() ? InstanceSnapshot::kNone : found->second;
  };
  for (const std::string& address :
       query.node ? addresses_of(*query.node) : std::vector<std::string>()) {
    const std::size_t instance = look(by_address_, address);
    if (instance != InstanceSnapshot::kNone) return text(instance, "its address " + address);
  }
  for (const std::string_view name : {std::string_view(query.name), without_domain(query.name)}) {
    const std::size_t instance = look(by_name_, plain(name));
    if (instance != InstanceSnapshot::kNone) return text(instance, "nearly its name");
  }
  return {};
}

namespace {

// "region-1/%41b " and "ab" are the same.
std::string last_part(std::string_view id) {
  std::string plain;
  for (std::size_t i = 0; i < id.size(); ++i) {
    unsigned value = 0;
    const char* digits = id.data() + i + 1;
    const bool escape = id[i] == '%' && i + 2 < id.size() &&
                        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    plain += escape ? static_cast<char>(value) : id[i];
    if (escape) i += 2;
  }
  while (plain.ends_with('/') || plain.ends_with(' ')) plain.pop_back();
  return lower_case(trim(std::string_view(plain).substr(plain.rfind('/') + 1)));
}

bool share_an_address(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index) {
  for (std::size_t i = 0; i < one.address_count(index); ++i) {
    for (std::size_t k = 0; k < other.address_count(other_index); ++k) {
      if (one.address(index, i) == other.address(other_index, k)) return true;
    }
  }
  return one.address_count(index) == 0 && other.address_count(other_index) == 0;
}

}  // namespace

bool is_same_instance(const InstanceSnapshot& one, std::size_t index, const InstanceSnapshot& other,
                      std::size_t other_index) {
  const std::string_view id = one.provider_id(index);
  const std::string_view other_id = other.provider_id(other_index);
  if (id.empty() || other_id.empty() || one.name(index) != other.name(other_index)) return false;
  return share_an_address(one, index, other, other_index) && last_part(id) == last_part(other_id);
}

}  // namespace ccm::cloud
