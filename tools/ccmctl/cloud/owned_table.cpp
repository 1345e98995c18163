#include "owned_table.hpp"

#include "ccmctl/output.hpp"

#include <algorithm>

namespace ccm::ctl {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : printable(text); }

}  // namespace

std::string owned_table(const std::vector<OwnedLine>& lines) {
  const bool notes = std::any_of(lines.begin(), lines.end(),
                                 [](const OwnedLine& line) { return !line.note.empty(); });
  std::vector<std::vector<std::string>> rows{{"KIND", "ID", "NAME", "ADDRESS", "CLUSTER", "FOR"}};
  if (notes) rows.front().push_back("NOTE");
  for (const OwnedLine& line : lines) {
    const OwnedObject& object = line.object;
    rows.push_back({or_dash(object.kind), or_dash(object.id), or_dash(object.name),
                    or_dash(object.address), or_dash(object.cluster), or_dash(line.subject)});
    if (notes) rows.back().push_back(line.note);
  }
  return align(rows);
}

nlohmann::ordered_json owned_json(const std::vector<OwnedLine>& lines) {
  auto array = nlohmann::ordered_json::array();
  for (const OwnedLine& line : lines) {
    const OwnedObject& object = line.object;
    nlohmann::ordered_json item{{"kind", object.kind}, {"id", object.id}};
    const auto add = [&item](const char* name, const std::string& text) {
      if (!text.empty()) item[name] = text;
    };
    add("name", object.name);
    add("address", object.address);
    add("cluster", object.cluster);
    for (const Label& service : object.services) {
      nlohmann::ordered_json named = nlohmann::ordered_json::object();
      if (!service.key.empty()) named["name"] = service.key;
      if (!service.value.empty()) named["uid"] = service.value;
      item["services"].push_back(std::move(named));
    }
    add("node", object.node);
    add("destinationCIDR", object.destination_cidr);
    add("note", line.note);
    array.push_back(std::move(item));
  }
  return array;
}

std::string why_left(const OwnedObject& object) {
  if (object.shared) return "others use it, too, or somebody else made it";
  if (object.no_cluster) return "its mark names no cluster: it may be another one's";
  return {};
}

std::string object_label(const OwnedObject& object) {
  return printable(object.kind) + " " + printable(object.id);
}

}  // namespace ccm::ctl
