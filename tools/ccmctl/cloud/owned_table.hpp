// Objects of the cloud as rows for people and for programs.
#pragma once

#include "owned_need.hpp"

#include <ccm/owned.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

// An object with what ccmctl says of it.
struct OwnedLine {
  OwnedObject object;
  std::string subject;  // the Services, or Node and range
  std::string note;     // why it is left alone; empty = it is an orphan, or will be removed
};

// KIND, ID, NAME, ADDRESS, CLUSTER, FOR, and NOTE when any line has one.
std::string owned_table(const std::vector<OwnedLine>& lines);
nlohmann::ordered_json owned_json(const std::vector<OwnedLine>& lines);

// Why nobody removes it; empty = it bears the mark of this cluster alone.
std::string why_left(const OwnedObject& object);
// "load-balancer lb-1"; printable.
std::string object_label(const OwnedObject& object);

}  // namespace ccm::ctl
