// The members of YAML maps as YAML 1.1 and kubectl read them: with those of the maps that a merge
// key (<<) brings in. yaml-cpp knows no merge keys. Any thread.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {

// A merge key that cannot be followed: its value is no map and no list of maps, or it leads through
// more maps than any file needs, as one that merges itself does.
struct YamlMergeFault : YAML::RepresentationException {
  using YAML::RepresentationException::RepresentationException;
};

// All of a map, its own in the order of the file and then those that it merges; a key that is there
// already stays as it is. Nothing for what is no map. Throws YamlMergeFault.
std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map);

// The one of that key; an undefined Node when there is none. Throws YamlMergeFault.
YAML::Node yaml_member(const YAML::Node& map, const std::string& key);

}  // namespace ccm::kube
