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

}  // namespace ccm::aws
