#include "plugin_path.hpp"

#include "base/plugin_folder.hpp"

namespace ccm::ctl {

void add_plugin_path(CLI::App& command, std::vector<std::string>& folders) {
  command
      .add_option(
          "--plugin-path", folders,
          "Folder with controllers/ and providers/; several separated by commas, or the flag "
          "repeated. Default: ../" +
              std::string(plugin_folder()) + " beside this program")
      ->type_name("FOLDER")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace ccm::ctl
