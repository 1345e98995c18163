// The annotations of a Service that DigitalOcean's manager knows (DO-125..DO-166), and the parsing
// of their values. Any thread.
#pragma once

#include "annotation_names.hpp"
#include "digitalocean/load_balancers/model.hpp"

#include <ccm/nearest.hpp>
#include <ccm/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

namespace annotation {
// Before the names of most of them.
inline constexpr std::string_view kPrefix = "service.beta.kubernetes.io/do-loadbalancer-";
}  // namespace annotation

// The annotations of one Service. The getters throw SpecError with the texts of DO-126..DO-166.
class Annotations {
 public:
  Annotations() = default;
  explicit Annotations(std::map<std::string, std::string, std::less<>> values)
      : values_(std::move(values)) {}

  // Nothing when absent.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // Empty when absent.
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }

  // DO-126. `setting` begins the error: "failed to get SETTING configuration setting: ...".
  [[nodiscard]] bool boolean(std::string_view name, std::string_view setting) const;
  // Go's strconv.Atoi; `fallback` when absent. `what` begins the error when not empty.
  [[nodiscard]] int64_t integer(std::string_view name, int64_t fallback,
                                const std::string& what) const;
  // A list of ports, split at commas without trimming (DO-127); empty when absent.
  [[nodiscard]] std::vector<int64_t> ports(std::string_view name) const;
  // A list split at commas, trimmed, without empty items.
  [[nodiscard]] std::vector<std::string> items(std::string_view name) const;

  // Annotations with DigitalOcean's prefixes that `spelling` does not know.
  [[nodiscard]] SpellingHelp::Report unknown(SpellingHelp& spelling) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The annotations of a Service.
Annotations read_annotations(const Object& service);

// Kubernetes' own; not read on DigitalOcean (DO-129).
inline constexpr std::string_view kSourceRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";
// Whether spec.loadBalancerSourceRanges limits who may connect.
bool has_source_ranges(const Object& service);

// Go's %q for texts of annotations.
std::string go_quoted(std::string_view text);
// Go's strconv.Atoi. Throws SpecError with `what` and Go's text.
int64_t atoi(std::string_view text, const std::string& what);

}  // namespace ccm::digitalocean
