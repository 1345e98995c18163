// ccm::Files: reads and watches files that a configuration names, off the loop.
#pragma once

#include <ccm/abi/file.h>
#include <ccm/callback.hpp>
#include <ccm/ctx.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/log.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

class Files {
 public:
  struct Read {
    using Output = Result<std::string>;
    Service<ccm_host_file> host;
    Ctx ctx;
    std::string path;
    int64_t limit;
    Status start(ccm_completion done) const {
      ccm_read_file_request request = sized<ccm_read_file_request>();
      request.path = c_str(path);
      request.size_limit = limit;
      return detail::begin_call(host, &ccm_host_file::read, CCM_HOST_FILE, "read", ctx, request,
                                done);
    }
    static Output decode(Status status, const void* result) {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the host gave no file");
      return std::string(view(known(static_cast<const ccm_file*>(result)).bytes));
    }
  };

  Files() = default;
  explicit Files(Service<ccm_host_file> host, Log log = {}) : host_(host), log_(std::move(log)) {}

  // The whole content of a regular file of at most `limit` bytes; 0 = 1 MiB, which is also the
  // most. Failures name the path: not_found, permission_denied, resource_exhausted, unavailable.
  [[nodiscard]] Operation<Read> read(Ctx ctx, std::string path, int64_t limit = 0) const {
    return Operation<Read>(Read{host_, std::move(ctx), std::move(path), limit});
  }

  // Calls `fn` in [serial] each time the file has other content, appeared or vanished. 0 when the
  // host refuses or cannot. [any-thread]
  uint64_t watch(std::string_view path, std::function<void()> fn) const {
    const auto add = host_.get(&ccm_host_file::watch);
    if (add == nullptr) return 0;
    return add(host_.self(), c_str(path), detail::make_callback(log_, "file.watch", std::move(fn)));
  }
  // After it returned in [serial] the function is not called any more. [any-thread]
  void unwatch(uint64_t registration) const {
    const auto remove = host_.get(&ccm_host_file::unwatch);
    if (remove != nullptr && registration != 0) remove(host_.self(), registration);
  }

 private:
  Service<ccm_host_file> host_;
  Log log_;
};

}  // namespace ccm
