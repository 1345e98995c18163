// The sandbox cloud as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "cloud_config.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

class Provider {
 public:
  explicit Provider(ccm::Host& host);

  // Reads --cloud-config and tries the credential, or the file. invalid_argument when it is wrong.
  ccm::Task<ccm::Status> initialize(ccm::Ctx ctx);
  // One short listing.
  ccm::Task<ccm::Status> health(ccm::Ctx ctx);
  // Every machine; fails rather than give a part.
  ccm::Task<ccm::Result<std::vector<ccm::Instance>>> list(ccm::Ctx ctx);
  // By ID when the Node has one, else by name. implemented_elsewhere for another cloud's ID.
  ccm::Task<ccm::Result<ccm::Instance>> get(ccm::Ctx ctx, ccm::NodeIdentity node);

 private:
  using Instances = std::vector<ccm::Instance>;

  ccm::Status configure();
  void configuration_changed();
  ccm::HttpRequest request(std::string path, std::string operation) const;
  ccm::Task<ccm::Result<ccm::HttpResponse>> ask(ccm::Ctx ctx, std::string path,
                                                std::string operation);
  ccm::Task<ccm::Result<Instances>> list_pages(ccm::Ctx ctx);
  ccm::Task<ccm::Result<Instances>> list_file();
  ccm::Task<ccm::Result<ccm::Instance>> get_by_id(ccm::Ctx ctx, std::string id);
  ccm::Task<ccm::Result<ccm::Instance>> get_by_name(ccm::Ctx ctx, std::string name);

  ccm::Host& host_;
  CloudConfig config_;
};

}  // namespace sandbox
