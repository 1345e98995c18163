#include "call.hpp"

namespace ccm::aws {

bool is_read(std::string_view action) {
  return action.starts_with("Describe") || action.starts_with("Get") ||
         action.starts_with("Assume");
}

XmlElement Answer::result() const {
  const XmlElement root = document_.root();
  for (const XmlElement child : root.children()) {
    if (child.name().ends_with("Result")) return child;
  }
  return root;
}

bool Answer::answers(const Call& call) const {
  if (document_.root().name() != call.action + "Response") return false;
  if (!call.action.starts_with("Describe")) return true;
  const XmlElement shown = result();
  if (call.api != Api::ec2 && shown.name() != call.action + "Result") return false;
  for (const XmlElement child : shown.children()) {
    const std::string_view name = child.name();
    if (name != "requestId" && name != "nextToken" && name != "NextMarker") return true;
  }
  return false;
}

}  // namespace ccm::aws
