// ManifestReader: typed access to the members of one JSON object of a manifest. It notes a line for
// each fault, remembers which members were read, and warns about the others. Private to the
// manifest's files.
#pragma once

#include "plugin_files/manifest.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

class ManifestReader {
 public:
  // `path` names the object in messages: "components[0]", or "" for the manifest itself. Reports a
  // fault when `value` is no object; then all members read as absent.
  ManifestReader(const nlohmann::json& value, std::string path, ManifestReport& findings);

  // Warns about unknown members.
  void finish();

  enum class Presence { optional, required };
  std::string string(const char* name, Presence presence = Presence::optional);
  bool boolean(const char* name, bool fallback);
  // Out of range is a fault.
  int64_t integer(const char* name, int64_t fallback, int64_t least, int64_t most);
  std::vector<std::string> strings(const char* name, Presence presence = Presence::optional);
  // Calls `visit(element, path of the element)`; a member that is no array is a fault.
  void each(const char* name, Presence presence,
            const std::function<void(const nlohmann::json&, const std::string&)>& visit);
  // The member as it is; NULL when absent.
  const nlohmann::json* any(const char* name) { return member(name, Presence::optional); }

  void fault(const char* name, const std::string& what) {
    findings_.faults.push_back(path_of(name) + ": " + what);
  }
  [[nodiscard]] std::string path_of(const char* name) const {
    return path_.empty() ? std::string(name) : path_ + "." + name;
  }

 private:
  const nlohmann::json* member(const char* name, Presence presence);

  const nlohmann::json* object_;
  std::string path_;
  ManifestReport& findings_;
  std::set<std::string, std::less<>> known_;
};

// Reads "options" of the manifest.
std::vector<Option> read_options(ManifestReader& manifest, ManifestReport& findings);

// Reads "serviceAnnotations".
AnnotationTable read_service_annotations(const nlohmann::json& value, ManifestReport& findings);

// Shapes of names, all lower case: "node-ipam"; and of ids: "com.example.cloud".
bool is_name(std::string_view text);
bool is_plugin_id(std::string_view text);

}  // namespace ccm::plugin_files
