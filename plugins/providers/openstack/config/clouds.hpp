// clouds.yaml, the file of openstacksdk and the command line: what it adds to [Global]
// (OS-55..OS-64). Plain values.
#pragma once

#include "settings.hpp"

#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

// Texts of clouds.yaml, and of secure.yaml and clouds-public.yaml; the latter two may be empty.
struct CloudTexts {
  std::string clouds;
  std::string secure;
  std::string clouds_public;
};

// Whether [Global] refers to a clouds.yaml.
bool wants_clouds(const GlobalSettings& global);

// `global` with the values of its cloud: the entry `cloud`, else the one that $OS_CLOUD names,
// which is `os_cloud`, else the only one. A value of cloud.conf wins, except that with the option
// `cloud` the entry's `auth` takes the place of all options of the log-in (OS-62); `warnings` then
// names those that lose. Failure: invalid_argument, one line with the file's name; a `Status`
// without a secret.
Result<GlobalSettings> with_cloud(GlobalSettings global, const CloudTexts& texts,
                                  const std::string& os_cloud, std::vector<std::string>& warnings);

}  // namespace ccm::openstack
