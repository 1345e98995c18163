// The shell commands of a page of docs/, run as a reader would: in a folder that looks like a
// checkout, with the kubeconfig of a test's cluster.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::support {

// The blocks of shell commands in one section of the page.
std::vector<std::string> shell_blocks(const std::filesystem::path& page,
                                      const std::string& section);

class Checkout {
 public:
  // Below `folder`, which outlives it.
  Checkout(const std::filesystem::path& folder, std::filesystem::path kubeconfig);

  // Whether the command succeeds within 90 s. Prints what it said if not.
  [[nodiscard]] bool run(const std::string& command) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path log_;
  std::filesystem::path kubeconfig_;
};

}  // namespace ccm::support
