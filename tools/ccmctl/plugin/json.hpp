// The JSON forms of facts about a plugin file; field names are those of the manifest.
#pragma once

#include "plugin_files/file_checks.hpp"

#include <nlohmann/json.hpp>

namespace ccm::ctl {

// {"path", "ok", "size", "sha256", "manifest" (unchanged), "elf", "checks"}
nlohmann::ordered_json to_json(const plugin_files::Examination& file);

// [{"name", "state", "text"}]
nlohmann::ordered_json to_json(const std::vector<plugin_files::FileCheck>& checks);

}  // namespace ccm::ctl
