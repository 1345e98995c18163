// Plugin files before they are loaded (plugin_files/elf.hpp).
// Input: a file.
// Properties: no read outside of the file, no endless walk; what is found lies in the file and is
// in order.
#include "ccmctl/plugin/needed_versions.hpp"
#include "fuzz.hpp"
#include "plugin_files/elf.hpp"
#include "plugin_files/manifest.hpp"

#include <algorithm>
#include <span>

namespace ccm::fuzz {
namespace {

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_facts(const plugin_files::ElfReader& reader, std::string_view text) {
  const plugin_files::ElfFacts facts = plugin_files::read_facts(reader);
  require(std::is_sorted(facts.exports.begin(), facts.exports.end()), "exports are sorted");
  require(std::includes(facts.exports.begin(), facts.exports.end(), facts.unique.begin(),
                        facts.unique.end()),
          "unique symbols are exported ones");
  (void)ctl::needed_versions(reader);
  require(!facts.shared_library || !reader.dynamic().empty(), "a library has a dynamic segment");
  for (const std::string& name : facts.needed) {
    require(text.find(name) != std::string_view::npos, "a needed library's name is in the file");
  }
  plugin_files::each_note(reader, [&](const plugin_files::ElfNote& note) {
    require(inside(note.owner, text) && inside(note.text, text), "a note lies in the file");
  });
}

void check_versions(std::string_view text) {
  const std::string_view left = text.substr(0, text.size() / 2);
  const std::string_view right = text.substr(text.size() / 2);
  require(!ctl::version_less(left, left), "no version is below itself");
  require(!(ctl::version_less(left, right) && ctl::version_less(right, left)),
          "one of two versions is the lower one");
}

}  // namespace

void elf_target(std::string_view bytes) {
  const Exact copy(bytes);
  const plugin_files::Bytes file = std::as_bytes(std::span(copy.view().data(), copy.view().size()));
  const auto reader = plugin_files::ElfReader::open(file);
  require(reader.ok() || !reader.status().message().empty(), "a failure says what is wrong");
  if (reader.ok()) {
    check_facts(*reader, copy.view());
    const auto note = plugin_files::read_note(*reader);
    require(!note.ok() || inside(*note, copy.view()), "the manifest lies in the file");
    if (note.ok()) (void)plugin_files::parse_manifest(*note);
  }
  check_versions(copy.view().substr(0, 64));
}

}  // namespace ccm::fuzz
