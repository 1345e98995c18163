// ccm.host.file/1 over WatchedFiles.
#pragma once

#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/host_service.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/abi/file.h>
#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

// Files that plugins read and watch. Reads and checks happen on a thread of its own, because a
// file system may hang; their results arrive on the loop.
class WatchedFiles {
 public:
  // The references must outlive it.
  WatchedFiles(runtime::EventLoop& loop, runtime::Timers& timers,
               std::chrono::milliseconds check_interval = std::chrono::seconds(5));
  ~WatchedFiles();  // a check that hangs goes on without it
  WatchedFiles& operator=(WatchedFiles&&) = delete;

  // `done` is called once, on the loop. Any thread.
  void read(std::string path, std::size_t limit, std::function<void(Result<std::string>)> done);

  // Calls `job`, which may block, on the thread, then what it returned on the loop. Any thread.
  void work(std::function<std::function<void()>()> job);

  // Calls `changed` on the loop each time the file has other content, appeared or vanished. Returns
  // a number for unwatch(). Any thread.
  uint64_t watch(std::string path, std::function<void()> changed);
  void unwatch(uint64_t number);

 private:
  struct State;
  void check_later();

  runtime::Timers& timers_;
  const std::chrono::milliseconds interval_;
  runtime::Timers::Id timer_ = 0;
  const std::shared_ptr<State> state_;
};

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
