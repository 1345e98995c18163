// The repository of a new provider, copied from a template. Blocking.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::ctl {

struct NewRepository {
  std::string name;      // "my-cloud"
  std::string language;  // a folder of `templates`
  std::filesystem::path templates;
  std::filesystem::path directory;  // made here; absent or empty
};

// Beside this program: <prefix>/share/ccm/templates.
std::filesystem::path default_templates();

// The files that it made, sorted. Throws std::invalid_argument when something of `wanted` is wrong,
// and std::runtime_error when a file cannot be read or written.
std::vector<std::string> make_repository(const NewRepository& wanted);

}  // namespace ccm::ctl
