// Files of the fake host: a test says what stands in them.
//   host.files.set("/etc/clouds.yaml", text);    // watchers hear of it
#pragma once

#include <ccm/abi/file.h>
#include <ccm/status.hpp>
#include <ccm/testing/fake_callbacks.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ccm::testing {

class FakeFiles {
 public:
  FakeFiles(FakeLoop& loop, FakeContexts& contexts);
  FakeFiles(const FakeFiles&) = delete;
  FakeFiles& operator=(const FakeFiles&) = delete;

  // Writes, removes, or breaks a file; who watches it is called back.
  void set(const std::string& path, std::string content);
  void remove(const std::string& path);
  void fail(const std::string& path, Status status);  // of reading it, until it is set or removed

  [[nodiscard]] const ccm_host_file* table() const { return &table_; }
  [[nodiscard]] FakeCaller* caller() { return &caller_; }

 private:
  struct Table;
  void change(const std::string& path, Result<std::string> content);
  Result<std::string> content_of(const std::string& path, int64_t limit) const;

  FakeLoop& loop_;
  FakeContexts& contexts_;
  FakeCallbacks callbacks_;
  FakeCaller caller_;
  ccm_host_file table_{};
  mutable std::mutex mutex_;
  std::map<std::string, Result<std::string>> files_;
  std::map<uint64_t, std::pair<std::string, std::shared_ptr<KeptCallback>>> watches_;
  uint64_t last_registration_ = 0;
};

}  // namespace ccm::testing
