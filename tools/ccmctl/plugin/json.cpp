#include "json.hpp"

#include "needed_versions.hpp"

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

ordered_json elf_json(const plugin_files::ElfFacts& elf, const NeededVersions& versions) {
  return {{"exports", elf.exports},
          {"needed", elf.needed},
          {"soname", elf.soname},
          {"runPath", elf.run_path},
          {"newestGLIBC", versions.glibc},
          {"newestGLIBCXX", versions.glibcxx},
          {"newestCXXABI", versions.cxxabi},
          {"textRelocations", elf.text_relocations},
          {"executableStack", elf.executable_stack},
          {"go", elf.go}};
}

}  // namespace

ordered_json to_json(const std::vector<plugin_files::FileCheck>& checks) {
  auto array = ordered_json::array();
  for (const plugin_files::FileCheck& check : checks) {
    array.push_back(
        {{"name", check.name}, {"state", to_string(check.state)}, {"text", check.text}});
  }
  return array;
}

ordered_json to_json(const plugin_files::Examination& file) {
  ordered_json json{{"path", file.path.string()}, {"ok", file.verdict().ok()}, {"size", file.size},
                    {"sha256", file.sha256},      {"manifest", nullptr},       {"elf", nullptr}};
  if (file.manifest) json["manifest"] = ordered_json::parse(file.note);
  if (file.elf) json["elf"] = elf_json(*file.elf, needed_versions(file));
  json["checks"] = to_json(file.checks);
  return json;
}

}  // namespace ccm::ctl
