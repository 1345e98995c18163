// ccm.host.file/1 over WatchedFiles.
#pragma once

#include "plugin/host_services/config_rejections.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/watched_files.hpp"

#include <ccm/abi/file.h>

#include <memory>

namespace ccm::plugin {

class FileService final : public HostService {
 public:
  // The references must outlive it.
  FileService(const std::shared_ptr<LiveComponent>& component, WatchedFiles& files,
              ConfigRejections& rejections)
      : HostService(component, CCM_HOST_FILE, &kTable), files_(files), rejections_(rejections) {}

 private:
  static void read(void* self, ccm_ctx ctx, const ccm_read_file_request* request,
                   ccm_completion done) noexcept;
  static uint64_t watch(void* self, ccm_str path, ccm_callback callback) noexcept;
  static const ccm_host_file kTable;

  WatchedFiles& files_;
  ConfigRejections& rejections_;
};

}  // namespace ccm::plugin
