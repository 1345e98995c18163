// The cloud's JSON as instances. Every doubt is a failure: half a listing would look like vanished
// machines.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

inline constexpr std::string_view kProviderIdPrefix = "sandbox://";

// The machine id in a provider ID; empty when the ID is another provider's.
std::string_view machine_id(std::string_view provider_id);

// One machine: the answer to GET /v1/machines/{id}. Failure: data_loss.
ccm::Result<ccm::Instance> parse_machine(std::string_view text);

// Collects the pages of a listing and says at its end whether they are the whole of it.
class Listing {
 public:
  // Takes a page; returns the number of the next one, 0 = that was the last. Failure: data_loss
  // when the page is garbage, repeats a machine, or leads in a circle.
  ccm::Result<std::size_t> add_page(std::string_view text);

  // All machines, or data_loss when the cloud counted more or fewer than it sent.
  ccm::Result<std::vector<ccm::Instance>> finish();

 private:
  std::vector<ccm::Instance> machines_;
  std::set<std::string, std::less<>> ids_;
  std::size_t page_ = 0;
  std::size_t total_ = 0;
};

// The content of a machines file: {"machines": [...]}, complete by definition. Failure: data_loss.
ccm::Result<std::vector<ccm::Instance>> parse_machines_file(std::string_view text);

}  // namespace sandbox
