#include "new_repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace ccm::ctl {
namespace {

namespace fs = std::filesystem;
using Replacements = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kLongestName = 63;

// The prefix of the templates, which lie in <prefix>/share/ccm.
fs::path prefix_of(const fs::path& templates) {
  return fs::absolute(templates).lexically_normal().parent_path().parent_path().parent_path();
}

// A component's name that can be an identifier, too: it begins with a letter.
void check_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (!name.empty() && name.size() <= kLongestName && plain && name[0] >= 'a' &&
      name.back() != '-' && name.find("--") == std::string::npos) {
    return;
  }
  throw std::invalid_argument(
      "NAME is lower-case letters, digits and single dashes, a letter first, at most 63");
}

std::string languages_in(const fs::path& templates) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(templates)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

fs::path template_of(const NewRepository& wanted) {
  if (!fs::is_directory(wanted.templates)) {
    throw std::invalid_argument(wanted.templates.string() + " is no folder of templates");
  }
  const fs::path folder = wanted.templates / wanted.language;
  if (wanted.language.find('/') == std::string::npos && !wanted.language.starts_with('.') &&
      !wanted.language.empty() && fs::is_directory(folder)) {
    return folder;
  }
  throw std::invalid_argument("no template of language " + wanted.language +
                              "; there are: " + languages_in(wanted.templates));
}

Replacements replacements_for(const NewRepository& wanted) {
  std::string identifier = wanted.name;
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  std::string variable = identifier;
  std::transform(variable.begin(), variable.end(), variable.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return {{"@NAME@", wanted.name},
          {"@IDENTIFIER@", identifier},
          {"@VARIABLE@", variable},
          {"@PREFIX@", prefix_of(wanted.templates).string()}};
}

std::string replaced(std::string text, const Replacements& replacements) {
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

void copy_file(const fs::path& from, const fs::path& to, const Replacements& replacements) {
  std::ifstream source(from, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(source), {});
  if (!source.is_open() || source.bad()) throw std::runtime_error("cannot read " + from.string());
  fs::create_directories(to.parent_path());
  std::ofstream made(to, std::ios::binary);
  made << replaced(text, replacements) << std::flush;
  if (!made) throw std::runtime_error("cannot write " + to.string());
  fs::permissions(to, fs::status(from).permissions() | fs::perms::owner_write);
}

}  // namespace

fs::path default_templates() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "share/ccm/templates";
}

std::vector<std::string> make_repository(const NewRepository& wanted) {
  check_name(wanted.name);
  const fs::path folder = template_of(wanted);
  if (fs::exists(wanted.directory) && !fs::is_empty(wanted.directory)) {
    throw std::invalid_argument(wanted.directory.string() + " is there already, and not empty");
  }
  const Replacements replacements = replacements_for(wanted);
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string place = fs::relative(entry.path(), folder).string();
    const fs::path made = wanted.directory / replaced(place, replacements);
    copy_file(entry.path(), made, replacements);
    files.push_back(made.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ccm::ctl
