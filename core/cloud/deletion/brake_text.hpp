// Texts about a brake for people: on pages, in Events and in answers to controllers. Any thread.
#pragma once

#include "runtime/brake.hpp"

#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// The words for the objects of one brake.
struct BrakeSubject {
  std::string kind;    // "nodes"
  std::string absent;  // "are missing in the cloud"
  std::string done{"were deleted"};
};
BrakeSubject subject_nodes();
// Nodes that prove nothing about the cloud (NodeView::apart).
BrakeSubject subject_strangers();

// One line: whether anything is held, which objects, and why. `held`: names, as many as
// BrakeReport::held says or none.
std::string describe(const runtime::BrakeReport& report, const runtime::BrakeOptions& options,
                     const BrakeSubject& subject, const std::vector<std::string>& held = {});

// The text that follows describe()'s while such Nodes are held for their number; else empty.
std::string describe_strangers(const runtime::BrakeReport& report,
                               const runtime::BrakeOptions& options);

// Why one Node of those that `report` is about is held, without a capital letter and a full stop.
std::string why_held(runtime::BrakeVerdict verdict, const runtime::BrakeReport& report,
                     const runtime::BrakeOptions& options, const BrakeSubject& subject);

}  // namespace ccm::plugin
