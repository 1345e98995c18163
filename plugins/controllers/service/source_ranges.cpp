#include "source_ranges.hpp"

#include "names.hpp"

#include <ccm/cidr.hpp>
#include <ccm/trim.hpp>

#include <algorithm>

namespace ccm::service {
std::optional<std::string> normalised_range(std::string_view text) {
  const auto range = parse_cidr(trim(text));
  return range ? std::optional(range->text()) : std::nullopt;
}

Result<std::vector<std::string>> source_ranges(const ServiceState& service) {
  std::vector<std::string> given = service.source_ranges.value_or(std::vector<std::string>());
  std::string_view where = "spec.loadBalancerSourceRanges";
  if (given.empty()) {
    where = kSourceRangesAnnotation;
    given = split_cidrs(service.annotation(kSourceRangesAnnotation));
  }
  std::vector<std::string> ranges;
  for (const std::string& item : given) {
    auto range = normalised_range(item);
    if (!range) {
      return Status(
                 Code::invalid_argument, ErrorClass::invalid_spec,
                 std::string(where) + ": \"" + item + "\" is no address range such as 10.0.0.0/24")
          .with_reason("InvalidSourceRanges");
    }
    ranges.push_back(*std::move(range));
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

}  // namespace ccm::service
