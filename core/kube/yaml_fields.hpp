// Typed reads of the fields of a YAML or JSON file, merge keys (<<) followed. A field of another
// type is thrown as one clear line; yaml-cpp throws, too. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {

// The members of YAML maps as YAML 1.1 and kubectl read them: with those of the maps that a merge
// key (<<) brings in. yaml-cpp knows no merge keys. Any thread.

// A merge key that cannot be followed: its value is no map and no list of maps, or it leads through
// more maps than any file needs, as one that merges itself does.
struct YamlMergeFault : YAML::RepresentationException {
  using YAML::RepresentationException::RepresentationException;
};

// All of a map, its own in the order of the file and then those that it merges; a key that is there
// already stays as it is. Nothing for what is no map. Throws YamlMergeFault.
std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map);

// The member with that key; an undefined Node when there is none. Throws YamlMergeFault.
YAML::Node yaml_member(const YAML::Node& map, const std::string& key);

// Carries the line out of nested calls.
struct YamlRefused {
  std::string message;
};

std::string in_quotes(const std::string& text);

// To be called by a handler of all exceptions: why the file `what` could not be read, as one line.
Status yaml_failure(const std::string& what);

// `where` begins a message: "cluster \"c1\"".
class YamlFields {
 public:
  // `what` names the file: "kubeconfig /etc/x"; relative paths in it begin at `directory`.
  YamlFields(std::string what, std::string directory)
      : what_(std::move(what)), directory_(std::move(directory)) {}

  // Bodies by name.
  using Entries = std::map<std::string, YAML::Node>;

  [[nodiscard]] const std::string& what() const { return what_; }
  [[noreturn]] void refuse(const std::string& why) const { throw YamlRefused{what_ + ": " + why}; }

  // Empty, false or none when the key is not there or null.
  [[nodiscard]] std::string text_of(const YAML::Node& node, const std::string& key,
                                    const std::string& where) const;
  [[nodiscard]] bool flag_of(const YAML::Node& node, const std::string& key,
                             const std::string& where) const;
  [[nodiscard]] std::vector<std::string> texts_of(const YAML::Node& node, const std::string& key,
                                                  const std::string& where) const;
  [[nodiscard]] std::string path_of(const YAML::Node& node, const std::string& key,
                                    const std::string& where) const;
  // One of "<key>" (a file that must be readable) and "<key>-data" (base64).
  void file_or_data(const YAML::Node& node, const std::string& key, const std::string& where,
                    std::string& file, std::string& data) const;
  // A list of {"name": ..., body: {...}}.
  [[nodiscard]] Entries entries(const YAML::Node& root, const std::string& list,
                                const std::string& body) const;
  // Plain scalars that look like JSON numbers, booleans or null stay what they are.
  [[nodiscard]] std::string json_of(const YAML::Node& node, const std::string& where) const;

 private:
  std::string what_;
  std::string directory_;
};

}  // namespace ccm::kube
