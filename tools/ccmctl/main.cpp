#include "commands.hpp"
#include "output.hpp"

#include <exception>
#include <iostream>
#include <string>

namespace {

int run(int argc, char** argv) {
  CLI::App app(
      "ccmctl answers questions about the cloud-controller-manager and its plugins.\n"
      "`status` and `explain` ask a running manager, `doctor` and `orphans` a cluster and its\n"
      "cloud, `cleanup` a cloud; these three, `plugin check` and `plugin try` run code of a\n"
      "plugin. The rest needs no cluster.");
  app.set_version_flag("--version", "ccmctl " CCM_TOOLS_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 = fine, 1 = a fault was found, 2 = wrong use.\n\n"
      "Examples:\n"
      "  ccmctl plugin list\n"
      "  ccmctl plugin inspect lib/ccm/providers/sandbox.so\n"
      "  ccmctl plugin check -o json ./my-provider.so\n"
      "  ccmctl plugin try --cloud-config cloud.conf ./my-provider.so\n"
      "  ccmctl plugin new --lang cpp mycloud\n"
      "  ccmctl rbac --cloud-provider=digitalocean | kubectl apply --server-side -f -\n"
      "  ccmctl lint --cloud-provider digitalocean service.yaml\n"
      "  ccmctl status\n"
      "  ccmctl status --endpoint=https://10.0.0.5:10258 --certificate-authority=ca.crt\n"
      "  ccmctl explain service/default/web\n"
      "  ccmctl doctor --cloud-provider=openstack --cloud-config=cloud.conf\n"
      "  ccmctl orphans --cloud-provider=openstack --cloud-config=cloud.conf\n"
      "  ccmctl cleanup --cloud-provider=openstack --cloud-config=cloud.conf --cluster=old");
  CLI::App* plugin = app.add_subcommand("plugin", "Look at plugin files, and make a new one");
  plugin->require_subcommand(1);
  int exit_code = ccm::ctl::kOk;
  ccm::ctl::add_plugin_list(*plugin, exit_code);
  ccm::ctl::add_plugin_inspect(*plugin, exit_code);
  ccm::ctl::add_plugin_check(*plugin, exit_code);
  ccm::ctl::add_plugin_cases(*plugin, exit_code);
  ccm::ctl::add_plugin_try(*plugin, exit_code);
  ccm::ctl::add_plugin_new(*plugin, exit_code);
  ccm::ctl::add_rbac(app, exit_code);
  ccm::ctl::add_permissions(app, exit_code);
  ccm::ctl::add_lint(app, exit_code);
  ccm::ctl::add_status(app, exit_code);
  ccm::ctl::add_explain(app, exit_code);
  ccm::ctl::add_doctor(app, exit_code);
  ccm::ctl::add_orphans(app, exit_code);
  ccm::ctl::add_cleanup(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ccm::ctl::kOk : ccm::ctl::kUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "ccmctl: " << ccm::ctl::printable(error.what()) << '\n';
    return ccm::ctl::kFault;
  }
}
