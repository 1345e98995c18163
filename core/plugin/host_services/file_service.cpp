#include "plugin/host_services/file_service.hpp"

#include "plugin/host_services/host_operation.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::plugin {

namespace {

constexpr int64_t kFileLimit = 1 << 20;

}  // namespace

void FileService::read(void* self, ccm_ctx ctx, const ccm_read_file_request* given,
                       ccm_completion done) noexcept {
  auto& service = *static_cast<FileService*>(self);
  Status wrong = check_request(given);
  const ccm_read_file_request request = known(given);
  std::string path(view(request.path));
  if (wrong.ok() && !path.starts_with('/')) {
    wrong = Status(Code::invalid_argument, "\"" + path + "\" is no absolute path");
  }
  int64_t limit = request.size_limit > 0 ? request.size_limit : kFileLimit;
  limit = std::min(limit, kFileLimit);
  auto start = [&files = service.files_, path = std::move(path),
                limit](const HostOperation::Ptr& running) {
    files.read(path, static_cast<std::size_t>(limit), [running](Result<std::string> content) {
      if (running->ended()) return;
      if (!content) return running->end(content.status());
      auto file = sized<ccm_file>();
      file.bytes = c_str(*content);
      running->end({}, &file);
    });
  };
  HostOperation::begin(service.component(), ctx, done, "file.read", std::move(wrong),
                       std::move(start));
}

uint64_t FileService::watch(void* self, ccm_str path, ccm_callback callback) noexcept {
  auto& service = *static_cast<FileService*>(self);
  const auto component = service.component();
  const std::string name(view(path));
  if (!component || !name.starts_with('/')) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  const uint64_t watch = service.files_.watch(
      name, [weak = std::weak_ptr(component), number, name, &rejections = service.rejections_] {
        const auto alive = weak.lock();
        if (!alive) return;
        rejections.remove(alive->identity().plugin_id, name);
        alive->run_callback(number, "file.watch");
      });
  component->callbacks().on_removal(number,
                                    [&files = service.files_, watch] { files.unwatch(watch); });
  return number;
}

const ccm_host_file FileService::kTable{sizeof(kTable), 0, &read, &watch, &remove_callback};

}  // namespace ccm::plugin
