// Finds and reads clouds.yaml and the files beside it (OS-55, OS-56, OS-58, OS-59).
#pragma once

#include "clouds.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

struct CloudFiles {
  CloudTexts texts;
  std::vector<std::string> paths;  // of the files that were found
};

// `clouds_file`: the option clouds-file; empty = the file that $OS_CLIENT_CONFIG_FILE names, else
// clouds.yaml in the working directory, ~/.config/openstack or /etc/openstack, where the other two
// files are looked for as well. Failures: invalid_argument when there is no clouds.yaml; not_found
// or permission_denied for a file that cannot be read. [serial]
Task<Result<CloudFiles>> read_cloud_files(Host& host, Ctx ctx, std::string clouds_file);

}  // namespace ccm::openstack
