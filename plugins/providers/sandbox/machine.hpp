// Machines in the sandbox cloud's answers. Any thread.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

inline constexpr std::string_view kProviderIdPrefix = "sandbox://";

// "m-1" of "sandbox://m-1"; nothing for another cloud's ID or an empty one.
std::optional<std::string> machine_id(std::string_view provider_id);

// One page of a listing.
struct MachinePage {
  std::vector<ccm::Instance> machines;
  int64_t total = 0;                 // of the whole listing
  std::optional<int64_t> next_page;  // nothing on the last one
};

// Failures: data_loss, class unavailable, reason BadAnswer, with the fault in a few words.
ccm::Result<ccm::Instance> parse_machine(std::string_view json);
ccm::Result<MachinePage> parse_page(std::string_view json);
// {"machines": [...]} without paging, the form of a machines file.
ccm::Result<std::vector<ccm::Instance>> parse_machines_file(std::string_view json);

}  // namespace sandbox
