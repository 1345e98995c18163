#include "support/checkout.hpp"

#include "support/file.hpp"
#include "support/process.hpp"

#include <chrono>
#include <cstdio>
#include <sstream>
#include <utility>

namespace ccm::support {

std::vector<std::string> shell_blocks(const std::filesystem::path& page,
                                      const std::string& section) {
  std::istringstream text(read_file(page));
  std::vector<std::string> blocks;
  bool inside = false;
  bool block = false;
  for (std::string line; std::getline(text, line);) {
    if (!block && line.starts_with("## ")) inside = line == "## " + section;
    if (!inside) continue;
    if (line == "```sh") {
      blocks.emplace_back();
      block = true;
    } else if (line == "```") {
      block = false;
    } else if (block) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

Checkout::Checkout(const std::filesystem::path& folder, std::filesystem::path kubeconfig)
    : root_(folder / "checkout"), log_(folder / "command.log"), kubeconfig_(std::move(kubeconfig)) {
  std::filesystem::create_directory(root_);
  std::filesystem::create_directory_symlink(CCM_DEPLOY_FOLDER, root_ / "deploy");
}

bool Checkout::run(const std::string& command) const {
  Process shell(
      {"/bin/bash", "-e", "-o", "pipefail", "-c", "cd '" + root_.string() + "'\n" + command},
      {log_, {{"KUBECONFIG", kubeconfig_.string()}}});
  const auto ended = shell.wait(std::chrono::seconds(90));
  if (ended && ended->code == 0) return true;
  std::fputs((command + shell.log()).c_str(), stderr);
  return false;
}

}  // namespace ccm::support
