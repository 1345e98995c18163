#include "ccm/testing/fake_file.hpp"

#include "fake_operation.hpp"

namespace ccm::testing {

struct FakeFiles::Table {
  static FakeCaller& caller(void* self) { return *static_cast<FakeCaller*>(self); }
  static FakeFiles& owner(void* self) { return *static_cast<FakeFiles*>(caller(self).service); }

  static void read(void* self, ccm_ctx ctx, const ccm_read_file_request* given,
                   ccm_completion done) {
    FakeFiles& files = owner(self);
    if (!only_known(given)) return post_failure(files.loop_, done, unknown_request("file.read"));
    const ccm_read_file_request request = known(given);
    const Status ended = files.contexts_.check(ctx);
    if (!ended.ok()) return post_failure(files.loop_, done, ended);
    const std::string path(view(request.path));
    files.loop_.post([&files, done, path, limit = request.size_limit] {
      const Result<std::string> content = files.content_of(path, limit);
      if (!content.ok()) return complete(done, content.status());
      ccm_file file = sized<ccm_file>();
      file.bytes = c_str(*content);
      complete(done, {}, &file);
    });
  }
  static uint64_t watch(void* self, ccm_str path, ccm_callback callback) {
    auto kept = caller(self).callbacks->keep(callback);
    if (!kept) return 0;
    FakeFiles& files = owner(self);
    const std::lock_guard lock(files.mutex_);
    files.watches_[++files.last_registration_] = {std::string(view(path)), std::move(kept)};
    return files.last_registration_;
  }
  static void unwatch(void* self, uint64_t registration) {
    std::shared_ptr<KeptCallback> dropped;  // outside the lock
    FakeFiles& files = owner(self);
    const std::lock_guard lock(files.mutex_);
    const auto place = files.watches_.find(registration);
    if (place == files.watches_.end()) return;
    dropped = std::move(place->second.second);
    files.watches_.erase(place);
  }
};

FakeFiles::FakeFiles(FakeLoop& loop, FakeContexts& contexts)
    : loop_(loop), contexts_(contexts), caller_{this, &callbacks_, 0} {
  table_ = sized<ccm_host_file>();
  table_.read = &Table::read;
  table_.watch = &Table::watch;
  table_.unwatch = &Table::unwatch;
}

void FakeFiles::change(const std::string& path, Result<std::string> content) {
  const std::lock_guard lock(mutex_);
  files_.insert_or_assign(path, std::move(content));
  for (const auto& [registration, watch] : watches_) {
    if (watch.first == path) loop_.post([kept = watch.second] { kept->call(); });
  }
}

void FakeFiles::set(const std::string& path, std::string content) {
  change(path, std::move(content));
}

void FakeFiles::remove(const std::string& path) {
  change(path, Status(Code::not_found, "read " + path + ": No such file or directory"));
}

void FakeFiles::fail(const std::string& path, Status status) { change(path, std::move(status)); }

Result<std::string> FakeFiles::content_of(const std::string& path, int64_t limit) const {
  constexpr int64_t kMost = 1 << 20;
  const std::lock_guard lock(mutex_);
  const auto place = files_.find(path);
  if (place == files_.end()) {
    return Status(Code::not_found, "read " + path + ": No such file or directory");
  }
  const auto size = static_cast<int64_t>(place->second.ok() ? place->second->size() : 0);
  if (size > (limit > 0 && limit < kMost ? limit : kMost)) {
    return Status(Code::resource_exhausted, "read " + path + ": it is too large");
  }
  return place->second;
}

}  // namespace ccm::testing
