// ccmctl plugin new: the repository of a new provider, from the template of a language.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "new_repository.hpp"

#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

struct NewCommand {
  std::string name;
  std::string language;
  std::string directory;
  std::string templates;
};

void make(const NewCommand& options) {
  NewRepository wanted;
  wanted.name = options.name;
  wanted.templates = options.templates;
  if (options.templates.empty()) wanted.templates = default_templates();
  wanted.language = options.language;
  wanted.directory = options.directory.empty() ? options.name : options.directory;
  const auto files = make_repository(wanted);
  for (const std::string& file : files) std::cout << printable(file) << '\n';
  std::cout << "README.md in " << printable(wanted.directory.string()) << " says how to go on\n";
}

}  // namespace

void add_plugin_new(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "new",
      "Make the repository of a new provider: code that builds and keeps the rules, tests on a "
      "host\n"
      "in memory, CI, a Debian package and a layer of the manager's image.");
  const auto options = std::make_shared<NewCommand>();
  command
      ->add_option("NAME", options->name,
                   "The provider's name, as in --cloud-provider: lower-case letters, digits, "
                   "single dashes")
      ->required()
      ->type_name("");
  command->add_option("--lang", options->language, "Language, one of the folders of --templates")
      ->required()
      ->type_name("LANGUAGE");
  command->add_option("--directory", options->directory, "Folder to make; NAME if unset")
      ->type_name("FOLDER");
  command
      ->add_option("--templates", options->templates,
                   "Folder of templates; ../share/ccm/templates beside the program if unset")
      ->type_name("FOLDER");
  command->callback([options, &exit_code] {
    make(*options);
    exit_code = kOk;
  });
}

}  // namespace ccm::ctl
