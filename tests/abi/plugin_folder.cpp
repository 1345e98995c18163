#include "plugin_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace ccm::test {

namespace fs = std::filesystem;

PluginFolder::PluginFolder() {
  std::string name = fs::canonical(testing::TempDir()) / "ccm-plugins-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
  for (const char* kind : {"controllers", "providers"}) {
    fs::create_directory(path_ / kind);
    fs::permissions(path_ / kind, fs::perms::owner_all);
  }
}

PluginFolder::~PluginFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path PluginFolder::add(const std::string& name, const std::string& to) const {
  const fs::path target = path_ / to;
  fs::copy_file(fs::path(CCM_TEST_PLUGINS) / (name + ".so"), target,
                fs::copy_options::overwrite_existing);
  fs::permissions(target, fs::perms(0755));
  return target;
}

fs::path PluginFolder::add(const std::string& name) const {
  return add(name, "providers/" + name + ".so");
}

bool is_mapped(const fs::path& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path.string())) return true;
  }
  return false;
}

}  // namespace ccm::test
