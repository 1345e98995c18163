// The Pod ranges to which the cloud's routes may lead. A kubelet chooses the Pod ranges of its Node
// when it registers, and a route takes traffic away from wherever it went before: so only ranges
// within --cluster-cidr, or within what --additional-pod-cidrs permits, and never those where
// something else lives. Any thread.
#pragma once

#include <ccm/cidr.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

inline constexpr std::string_view kRangeOutside = "PodCIDROutOfRange";
inline constexpr std::string_view kRangeTooWide = "PodCIDRTooWide";
inline constexpr std::string_view kRangeConflict = "CIDRConflict";

// Why no route may lead to a range.
struct RangeRefusal {
  std::string_view reason;  // of an Event, a Status; a constant
  std::string message;      // goes on after "The Pod range 10.9.0.0/24 ", without a full stop
  // A route that is there harms nobody: flags may have changed under a Node that has it rightly.
  bool tolerable = false;
};

class RoutableRanges {
 public:
  // Permits nothing.
  RoutableRanges() = default;

  // `flag(name)` gives the text of a flag, nothing or "" when there is none: --cluster-cidr,
  // --additional-pod-cidrs, --service-cluster-ip-range, the mask sizes of the allocator of Pod
  // ranges. A text that is no range is left out: whoever needs the flags checks them.
  template <typename Flag>
  static RoutableRanges of_flags(const Flag& flag) {
    const auto text = [&](std::string_view name) {
      const auto value = flag(name);
      return value ? std::string(*value) : std::string();
    };
    RoutableRanges ranges;
    ranges.clusters_ = parsed(text("cluster-cidr"));
    ranges.additional_ = parsed(text("additional-pod-cidrs"));
    for (const Cidr& services : parsed(text("service-cluster-ip-range"))) {
      ranges.keep_off(services, "the Services (--service-cluster-ip-range)");
    }
    const bool one_family = ranges.clusters_.size() == 1;
    const bool allocated = text("allocate-node-cidrs") == "true" && names_ipam(text("controllers"));
    for (const bool v6 : {false, true}) {
      unsigned prefix = number(text(v6 ? "node-cidr-mask-size-ipv6" : "node-cidr-mask-size-ipv4"));
      if (prefix == 0 && one_family) prefix = number(text("node-cidr-mask-size"));
      if (prefix == 0 && allocated) prefix = v6 ? 64 : 24;
      ranges.least_prefix_[v6 ? 1 : 0] = prefix;
    }
    return ranges;
  }

  // Nothing may lead to `range`, as it belongs to `whom` ("Node node-1").
  void keep_off(const Cidr& range, std::string whom) {
    reserved_.try_emplace(range, std::move(whom));
  }

  // --cluster-cidr and --additional-pod-cidrs, as texts.
  [[nodiscard]] const std::vector<Cidr>& clusters() const { return clusters_; }
  // Within one of them.
  [[nodiscard]] bool contains(const Cidr& range) const {
    return within(clusters_, range) || within(additional_, range);
  }

  // Nothing: a route may lead there. O(log n) of what is kept off.
  [[nodiscard]] std::optional<RangeRefusal> refusal(const Cidr& range) const {
    if (const auto special = special_use(range); !special.empty()) {
      return RangeRefusal{kRangeOutside,
                          "holds " + std::string(special) + ", to which no route leads", false};
    }
    if (const std::string* whom = owner_of(range)) {
      return RangeRefusal{kRangeConflict, "holds addresses of " + *whom, false};
    }
    if (!contains(range)) {
      return RangeRefusal{kRangeOutside,
                          "is outside of --cluster-cidr" + of_clusters() +
                              ". If it is right, add it to --cluster-cidr, or a range around it to "
                              "--additional-pod-cidrs",
                          true};
    }
    const unsigned least = least_prefix_[range.v6 ? 1 : 0];
    if (range.prefix < least && within(clusters_, range)) {
      return RangeRefusal{kRangeTooWide,
                          "is wider than that of a Node, a /" + std::to_string(least) +
                              ". If it is right, correct --node-cidr-mask-size",
                          true};
    }
    return std::nullopt;
  }

 private:
  static std::vector<Cidr> parsed(const std::string& text) {
    std::vector<Cidr> ranges;
    for (const std::string& item : split_cidrs(text)) {
      if (const auto range = parse_cidr(item)) ranges.push_back(*range);
    }
    return ranges;
  }
  static unsigned number(const std::string& text) { return detail::decimal(text, 128).value_or(0); }
  // In Go's form: "[*,node-ipam-controller]".
  static bool names_ipam(std::string_view controllers) {
    while (!controllers.empty()) {
      const std::size_t end = std::min(controllers.find_first_of("[], "), controllers.size());
      const std::string_view item = controllers.substr(0, end);
      if (item == "node-ipam-controller" || item == "nodeipam") return true;
      controllers.remove_prefix(std::min(end + 1, controllers.size()));
    }
    return false;
  }
  static bool within(const std::vector<Cidr>& ranges, const Cidr& range) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Cidr& cluster) { return cluster.contains(range); });
  }
  // A use for which no network routes a part of it, RFC 6890; empty = there is none.
  static std::string_view special_use(const Cidr& range) {
    using Use = std::pair<Cidr, std::string_view>;
    static const std::array<Use, 10> uses{
        {{*parse_cidr("0.0.0.0/8"), "addresses that mean no other host"},
         {*parse_cidr("127.0.0.0/8"), "loopback addresses"},
         {*parse_cidr("169.254.0.0/16"), "link-local addresses"},
         {*parse_cidr("224.0.0.0/4"), "multicast addresses"},
         {*parse_cidr("255.255.255.255/32"), "the broadcast address"},
         {*parse_cidr("::/128"), "the unspecified address"},
         {*parse_cidr("::1/128"), "the loopback address"},
         {*parse_cidr("::ffff:0:0/96"), "addresses of IPv4"},
         {*parse_cidr("fe80::/10"), "link-local addresses"},
         {*parse_cidr("ff00::/8"), "multicast addresses"}}};
    const auto use = std::find_if(uses.begin(), uses.end(),
                                  [&](const Use& other) { return other.first.overlaps(range); });
    return use == uses.end() ? std::string_view() : use->second;
  }
  [[nodiscard]] const std::string* owner_of(const Cidr& range) const {
    const auto after = reserved_.lower_bound(range);
    if (after != reserved_.end() && range.contains(after->first)) return &after->second;
    Cidr around = range;
    for (unsigned prefix = range.prefix; prefix > 0; --prefix) {
      set_bit_field(around.network, prefix - 1, prefix, 0);
      around.prefix = prefix - 1;
      if (const auto found = reserved_.find(around); found != reserved_.end()) {
        return &found->second;
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::string of_clusters() const {
    std::string text;
    for (const Cidr& cluster : clusters_) text += (text.empty() ? "=" : ",") + cluster.text();
    return text.empty() ? ", which is not given" : text;
  }

  std::vector<Cidr> clusters_;
  std::vector<Cidr> additional_;
  std::array<unsigned, 2> least_prefix_{0, 0};  // of IPv4 and IPv6; 0 = any
  std::map<Cidr, std::string> reserved_;
};

}  // namespace ccm
