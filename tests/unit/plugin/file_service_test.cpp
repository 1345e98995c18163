// Files as plugins read and watch them.
#include "plugin/host_services/file_service.hpp"

#include "host_services_fixture.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <thread>

namespace ccm::plugin {
namespace {

namespace fs = std::filesystem;

class FileServiceTest : public HostServicesTest {
 protected:
  FileServiceTest() {
    std::string name = (fs::temp_directory_path() / "ccm-files-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~FileServiceTest() override { fs::remove_all(folder_); }
  void SetUp() override {
    ASSERT_TRUE(create(true).ok());
    service_ = plugin_.service(CCM_HOST_FILE, &file_);
  }
  void add_services(ComponentHost& host) override {
    HostServicesTest::add_services(host);
    host.add(std::make_unique<FileService>(component_, files_, rejections_));
  }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // As editors and Kubernetes write: another file takes the name.
  void replace(const char* name, const std::string& text) const {
    write("replacement", text);
    fs::rename(folder_ / "replacement", folder_ / name);
  }

  Status read(const std::string& file, std::string* content = nullptr, int64_t limit = 0,
              ccm_ctx ctx = {}) {
    Caught caught;
    caught.on_result = [&](const void* result) {
      if (content != nullptr) *content = view(static_cast<const ccm_file*>(result)->bytes);
    };
    auto request = sized<ccm_read_file_request>();
    request.path = c_str(file);
    request.size_limit = limit;
    file_->read(service_.self, ctx, &request, caught.completion());
    EXPECT_FALSE(caught.status) << "never inside the call";
    poll_until([&] { return caught.status.has_value(); });
    return caught.status.value_or(Status(Code::unknown, "the read did not end"));
  }
  uint64_t watch(const char* name, Counted& counted) {
    return file_->watch(service_.self, c_str(path(name)), counted.callback());
  }
  // Until all files have been looked at once more, and what was found has been told.
  void look() {
    static int number = 0;
    const std::string control = path("written_last") + std::to_string(++number);
    bool seen = false;
    const uint64_t watched = files_.watch(control, [&] { seen = true; });
    std::ofstream(control) << "x";
    // One look each: one that is still under way would see the next change half written.
    for (int attempt = 0; attempt < 50 && !seen; ++attempt) {
      advance(1s);
      for (int wait = 0; wait < 20 && !seen; ++wait) loop_.run_for(10ms);
    }
    EXPECT_TRUE(seen);
    files_.unwatch(watched);
    advance(0s);
  }

  fs::path folder_;
  WatchedFiles files_{loop_, timers_, 1s};
  const ccm_host_file* file_ = nullptr;
  ccm_interface service_{};
};

TEST_F(FileServiceTest, AWholeFileOfAnyBytes) {
  std::string bytes("a\0b\xff\n", 5);
  bytes += std::string(200'000, 'x');
  write("file", bytes);
  std::string content;
  EXPECT_TRUE(read(path("file"), &content).ok());
  EXPECT_EQ(content, bytes);
  write("file", "");
  EXPECT_TRUE(read(path("file"), &content).ok());
  EXPECT_EQ(content, "");
}

TEST_F(FileServiceTest, AFailureNamesThePath) {
  const auto expect = [&](const std::string& file, Code code) {
    const Status status = read(file);
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(file), std::string::npos) << status.message();
  };
  expect(path("missing"), Code::not_found);
  write("file", "x");
  expect(path("file") + "/below", Code::not_found);
  expect(folder_.string(), Code::unavailable);
  expect("relative", Code::invalid_argument);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect(path("pipe"), Code::unavailable);  // and does not wait for a writer
  if (::geteuid() == 0) return;             // may read everything
  fs::permissions(folder_ / "file", fs::perms::none);
  expect(path("file"), Code::permission_denied);
}

TEST_F(FileServiceTest, WhatIsLongerThanTheLimitIsRefused) {
  write("file", std::string(100, 'x'));
  EXPECT_TRUE(read(path("file"), nullptr, 100).ok());
  EXPECT_EQ(read(path("file"), nullptr, 99).code(), Code::resource_exhausted);
  write("file", std::string(1U << 20U, 'x'));
  EXPECT_TRUE(read(path("file")).ok());
  write("file", std::string((1U << 20U) + 1, 'x'));
  EXPECT_EQ(read(path("file")).code(), Code::resource_exhausted);
  EXPECT_EQ(read(path("file"), nullptr, 1 << 30).code(), Code::resource_exhausted)
      << "1 MiB is the most, whatever is asked for";
}

TEST_F(FileServiceTest, AReadEndsWithItsCtx) {
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface contexts = plugin_.service(CCM_HOST_CTX, &ctx);
  write("file", "x");
  const ccm_ctx ended = ctx->with_timeout(contexts.self, {}, 0);
  EXPECT_EQ(read(path("file"), nullptr, 0, ended).code(), Code::deadline_exceeded);
  Caught caught;
  auto request = sized<ccm_read_file_request>();
  const std::string file = path("file");
  request.path = c_str(file);
  const ccm_ctx child = ctx->with_timeout(contexts.self, {}, 60'000);
  file_->read(service_.self, child, &request, caught.completion());
  ctx->cancel(contexts.self, child);
  poll_until([&] { return caught.status.has_value(); });
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.calls, 1);
}

TEST_F(FileServiceTest, R_6_UnknownPartsOfARequestAreRefused) {
  write("file", "x");
  const std::string file = path("file");
  struct {
    ccm_read_file_request known;
    uint64_t news;
  } later{sized<ccm_read_file_request>(), 7};
  later.known.path = c_str(file);
  later.known.size = sizeof(later);
  auto flagged = sized<ccm_read_file_request>();
  flagged.path = c_str(file);
  flagged.flags = 1;
  for (const ccm_read_file_request* request : {&later.known, &flagged}) {
    Caught caught;
    file_->read(service_.self, {}, request, caught.completion());
    poll_until([&] { return caught.status.has_value(); });
    ASSERT_TRUE(caught.status);
    EXPECT_EQ(caught.status->code(), Code::unimplemented);
    EXPECT_EQ(caught.status->reason(), CCM_REASON_UNKNOWN_REQUEST);
  }
  auto shorter = later.known;
  shorter.size = offsetof(ccm_read_file_request, size_limit);
  Caught caught;
  file_->read(service_.self, {}, &shorter, caught.completion());
  poll_until([&] { return caught.status.has_value(); });
  EXPECT_TRUE(caught.status && caught.status->ok());
}

TEST_F(FileServiceTest, EachKindOfChangeIsTold) {
  Counted counted;
  write("file", "one");
  ASSERT_NE(watch("file", counted), 0u);
  look();
  EXPECT_EQ(counted.calls, 0) << "nothing has changed";
  write("file", "longer");
  look();
  EXPECT_EQ(counted.calls, 1);
  replace("file", "others");
  look();
  EXPECT_EQ(counted.calls, 2) << "as long, but another file";
  fs::remove(folder_ / "file");
  look();
  EXPECT_EQ(counted.calls, 3);
  write("file", "back");
  look();
  EXPECT_EQ(counted.calls, 4);
  look();
  EXPECT_EQ(counted.calls, 4);
  component_->destroy(1s, [](const Status&) {});
  poll();
  EXPECT_EQ(counted.drops, 1);
  write("file", "after the end");
  look();
  EXPECT_EQ(counted.calls, 4);
}

// Kubernetes replaces a folder of Secrets by turning one link.
TEST_F(FileServiceTest, ALinkThatIsTurnedIsAChange) {
  fs::create_directory(folder_ / "..1");
  fs::create_directory(folder_ / "..2");
  write("..1/ca.crt", "one");
  write("..2/ca.crt", "two");
  fs::create_directory_symlink("..1", folder_ / "..data");
  fs::create_symlink("..data/ca.crt", folder_ / "ca.crt");
  Counted counted;
  watch("ca.crt", counted);
  fs::create_directory_symlink("..2", folder_ / "..new");
  fs::rename(folder_ / "..new", folder_ / "..data");
  look();
  EXPECT_EQ(counted.calls, 1);
  std::string content;
  EXPECT_TRUE(read(path("ca.crt"), &content).ok());
  EXPECT_EQ(content, "two");
  component_->destroy(1s, [](const Status&) {});
  poll();
}

TEST_F(FileServiceTest, AfterUnwatchNothingIsTold) {
  Counted kept, removed;
  watch("file", kept);
  const uint64_t number = watch("file", removed);
  std::thread outside([&] { file_->unwatch(service_.self, number); });
  outside.join();
  EXPECT_EQ(removed.drops, 1);
  write("file", "x");
  look();
  EXPECT_EQ(kept.calls, 1);
  EXPECT_EQ(removed.calls, 0);
  EXPECT_EQ(kept.drops, 0);
  file_->unwatch(service_.self, 4'711);
  Counted relative;
  EXPECT_EQ(file_->watch(service_.self, c_str("file"), relative.callback()), 0u);
  EXPECT_EQ(relative.drops, 1);
  component_->destroy(1s, [](const Status&) {});
  poll();
  EXPECT_EQ(kept.drops, 1);
}

// The operator has seen the fault of the old content; the new one is not judged yet.
TEST_F(FileServiceTest, ARejectionEndsWithTheNextChangeOfItsFile) {
  const ccm_host_config* config = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_CONFIG, &config);
  Counted counted;
  watch("clouds.yaml", counted);
  const std::string file = path("clouds.yaml");
  config->rejected(service.self, c_str(file), c_str("line 3: no cloud of that name"));
  config->rejected(service.self, c_str("/other"), c_str("no"));
  poll();
  EXPECT_EQ(rejections_.list().size(), 2u);
  write("clouds.yaml", "x");
  look();
  ASSERT_EQ(rejections_.list().size(), 1u);
  EXPECT_EQ(rejections_.list()[0].file, "/other");
  EXPECT_EQ(counted.calls, 1);
  component_->destroy(1s, [](const Status&) {});
  poll();
}

}  // namespace
}  // namespace ccm::plugin
