// The node controller's use of a Node and a machine (plugins/controllers/node).
// Input: a machine as the sandbox cloud describes it; after a newline, the Node.
// Properties: every label that is set is one that the API server takes; a second look at the
// result writes nothing; addresses are the machine's; patches are JSON.
#include "fuzz.hpp"
#include "node/addresses.hpp"
#include "node/desired_state.hpp"
#include "node/ip_address.hpp"
#include "node/patches.hpp"
#include "node/provided_node_ip.hpp"
#include "sandbox/machine.hpp"

#include <ccm/label_syntax.hpp>
#include <ccm/testing/fake_objects.hpp>
#include <ccm/timestamp.hpp>

#include <algorithm>
#include <stdexcept>

namespace ccm::fuzz {
namespace {

using node::DesiredState;
using node::Labels;
using node::NodeState;

// The fake's own parser is not under test: no deeper than any Node is.
bool reasonable(std::string_view json) {
  return std::count(json.begin(), json.end(), '{') + std::count(json.begin(), json.end(), '[') < 64;
}

void check_json(testing::FakeObjects& objects, const std::string& patch) {
  try {
    (void)objects.make(patch);
  } catch (const std::invalid_argument&) {
    require_equal(patch, "", "a patch is JSON");
  }
}

void check_labels(const NodeState& state, const Instance& machine) {
  const node::LabelPlan plan = node::plan_labels(state.labels, machine);
  Labels labels = state.labels;
  for (const auto& [key, value] : plan.set) {
    require(is_label_key(key) && is_label_value(value), "a label is well-formed");
    labels.insert_or_assign(key, value);
  }
  require(node::plan_labels(labels, machine).set.empty(), "labels settle in one step");
  for (const auto& [key, value] : node::repaired_labels(labels)) {
    labels.insert_or_assign(key, value);
  }
  require(node::repaired_labels(labels).empty(), "a repair settles in one step");
}

void check_desired(testing::FakeObjects& objects, const NodeState& state, const Instance& machine) {
  const auto desired = node::desired_state(state, machine);
  if (!desired.ok()) {
    require(!desired.status().message().empty(), "a failure says what is wrong");
    return;
  }
  for (const NodeAddress& entry : desired->addresses) {
    const auto& from = machine.addresses;
    const auto& own = state.addresses;
    require(std::find(from.begin(), from.end(), entry) != from.end() ||
                (entry.type == "Hostname" && std::find(own.begin(), own.end(), entry) != own.end()),
            "an address is the machine's, or the kubelet's Hostname");
  }
  check_json(objects, node::initialization_patch(state, *desired));
  check_json(objects, node::address_patch("7c1b", "1", desired->addresses));
  check_json(objects, node::label_patch("7c1b", desired->labels.set));
  NodeState settled = state;
  if (settled.provider_id.empty()) settled.provider_id = desired->provider_id;
  if (!desired->addresses.empty()) settled.addresses = desired->addresses;
  const auto again = node::desired_state(settled, machine);
  require(again.ok() && again->provider_id.empty(), "a provider ID is set once");
  require(!node::addresses_differ(settled, again->addresses), "addresses settle in one step");
}

void check_texts(std::string_view text) {
  const auto ip = node::parse_ip(text);
  require(!ip || text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos,
          "an address is made of digits");
  const auto pair = node::parse_provided_node_ip(text);
  require(!pair.ok() || (!pair->empty() && pair->size() <= 2), "one address or two");
  if (const auto time = parse_timestamp(text)) {
    require(time->count() < 253'402'300'800'000, "before the year 10000");
  }
}

}  // namespace

void node_target(std::string_view bytes) {
  Input input(bytes);
  const std::string_view machine_text = input.line();
  check_texts(machine_text);
  const auto machine = sandbox::parse_machine(machine_text);
  if (!machine.ok() || !reasonable(input.rest())) return;
  testing::FakeObjects objects;
  NodeState state;
  try {
    state = node::read_node(objects.make(input.rest()));
  } catch (const std::invalid_argument&) {
    return;
  }
  check_labels(state, *machine);
  check_desired(objects, state, *machine);
}

}  // namespace ccm::fuzz
