// Programs that plugins have run, and those that are run for nobody.
#include "plugin/host_services/process_service.hpp"

#include "host_services_fixture.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>

namespace ccm::plugin {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ProcessServiceTest : public HostServicesTest {
 protected:
  ProcessServiceTest() {
    std::string name = (fs::temp_directory_path() / "ccm-programs-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~ProcessServiceTest() override { fs::remove_all(folder_); }
  void SetUp() override {
    ASSERT_TRUE(create(true).ok());
    service_ = plugin_.service(CCM_HOST_PROCESS, &process_);
    contexts_ = plugin_.service(CCM_HOST_CTX, &ctx_);
  }
  void add_services(ComponentHost& host) override {
    HostServicesTest::add_services(host);
    host.add(std::make_unique<ProcessService>(component_, files_));
  }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  // A program of the shell; how a command names it.
  std::string program(const std::string& script) const {
    std::ofstream(folder_ / "program") << "#!/bin/sh\n" << script << "\n";
    ::chmod(path("program").c_str(), 0755);
    return path("program");
  }
  void config(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(folder_ / "config") << text;
    ::chmod(path("config").c_str(), mode);
  }
  void begin(const std::string& command, Caught& caught, ccm_ctx ctx = {}) {
    const std::string file = path("config");
    auto request = sized<ccm_run_request>();
    request.file = c_str(file);
    request.setting = c_str("credential_process");
    request.command = c_str(command);
    caught.on_result = [this](const void* result) {
      output_ = view(static_cast<const ccm_program_output*>(result)->bytes);
    };
    process_->run(service_.self, ctx, &request, caught.completion());
    EXPECT_FALSE(caught.status) << "never inside the call";
  }
  ccm_ctx ctx_with_timeout(int64_t timeout_ms) {
    return ctx_->with_timeout(contexts_.self, {}, timeout_ms);
  }
  Status run(const std::string& command, ccm_ctx ctx = {}) {
    Caught caught;
    begin(command, caught, ctx);
    poll_until([&] { return caught.status.has_value(); });
    return caught.status.value_or(Status(Code::unknown, "the program did not end"));
  }
  // The command stands in the file as it is.
  Status run_named(const std::string& command, ccm_ctx ctx = {}) {
    config("[default]\ncredential_process = " + command + "\n");
    return run(command, ctx);
  }

  fs::path folder_;
  std::string output_;
  WatchedFiles files_{loop_, timers_, 1s};
  const ccm_host_process* process_ = nullptr;
  const ccm_host_ctx* ctx_ = nullptr;
  ccm_interface service_{};
  ccm_interface contexts_{};
};

TEST_F(ProcessServiceTest, ItsOutputAndItsWords) {
  const std::string command = program("for word; do echo \"<$word>\"; done") +
                              R"( --a 'b  c' "d \"e\" $HOME `id`" f\ g '' h;i|j)";
  const Status status = run_named(command);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(output_, "<--a>\n<b  c>\n<d \"e\" $HOME `id`>\n<f g>\n<>\n<h;i|j>\n");
}

TEST_F(ProcessServiceTest, R_174_OnlyWhatTheFileSays) {
  const std::string command = program("touch \"$0.ran\"");
  for (const std::string& text :
       {std::string(), "credential_process = " + command + " --more\n", "other = " + command + "\n",
        "# credential_process = " + command + "\n", "credential_process = " + command + "2\n"}) {
    config(text);
    const Status status = run(command);
    EXPECT_EQ(status.code(), Code::permission_denied) << text;
    EXPECT_EQ(status.message(),
              "no line of " + path("config") + " gives credential_process that command");
  }
  EXPECT_FALSE(fs::exists(path("program.ran")));
  config("\tCREDENTIAL_PROCESS=" + command + "  ; of the team\n");
  EXPECT_TRUE(run(command).ok());
  EXPECT_TRUE(fs::exists(path("program.ran")));
}

TEST_F(ProcessServiceTest, R_174_OnlyAFileThatTheOperatorAloneWrites) {
  const std::string command = program("touch \"$0.ran\"");
  for (const mode_t mode : {0620, 0602}) {
    config("credential_process = " + command + "\n", mode);
    const Status status = run(command);
    EXPECT_EQ(status.code(), Code::permission_denied);
    EXPECT_TRUE(has(status.message(), "others than its owner may write it")) << status.message();
  }
  fs::remove(folder_ / "config");
  EXPECT_EQ(run(command).code(), Code::not_found);
  if (::geteuid() == 0) {
    config("credential_process = " + command + "\n");
    ASSERT_EQ(::chown(path("config").c_str(), 4711, 0), 0);
    EXPECT_TRUE(has(run(command).message(), "belongs neither to root nor to"));
  }
  EXPECT_FALSE(fs::exists(path("program.ran")));
}

TEST_F(ProcessServiceTest, R_175_AFailureShowsNothingThatWasPrinted) {
  const std::string command = program("echo s3cret; echo s3cret >&2; exit 3") + " --token t0ken";
  const Status status = run_named(command);
  EXPECT_EQ(status.code(), Code::failed_precondition);
  EXPECT_EQ(status.message(), path("program") + " ended with exit code 3");
}

TEST_F(ProcessServiceTest, ItHasTheEnvironmentOfTheHost) {
  ::setenv("VAULT_ADDR", "https://vault", 1);
  const std::string command = program("env");
  EXPECT_TRUE(run_named(command).ok());
  ::unsetenv("VAULT_ADDR");
  EXPECT_TRUE(has(output_, "VAULT_ADDR=https://vault\n")) << output_;
}

TEST_F(ProcessServiceTest, OutputHasALimit) {
  EXPECT_TRUE(run_named(program("head -c 65536 /dev/zero")).ok());
  EXPECT_EQ(output_.size(), 65536u);
  const Status status = run_named(program("head -c 65537 /dev/zero"));
  EXPECT_EQ(status.message(), path("program") + " printed more than 64 KiB");
}

TEST_F(ProcessServiceTest, TheGroupEndsWithTheOperation) {
  // A child of the program, which would outlive it.
  const std::string command = program("sleep 600 & echo $! >\"$0.child\"; wait");
  config("credential_process = " + command + "\n");
  const ccm_ctx ctx = ctx_with_timeout(60'000);
  Caught caught;
  begin(command, caught, ctx);
  pid_t child = 0;
  poll_until([&] { return std::ifstream(path("program.child")) >> child && child > 0; });
  ASSERT_GT(child, 0);
  EXPECT_FALSE(caught.status);
  advance(61s);
  poll_until([&] { return caught.status.has_value(); });
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::deadline_exceeded);
  poll_until([&] { return ::kill(child, 0) != 0; });
  EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(ProcessServiceTest, AProgramThatIsNotThere) {
  const Status status = run_named("/nowhere/keys --token t0ken");
  EXPECT_EQ(status.code(), Code::failed_precondition);
  EXPECT_TRUE(has(status.message(), "cannot start /nowhere/keys: ")) << status.message();
  EXPECT_FALSE(has(status.message(), "t0ken"));
  EXPECT_TRUE(has(run_named("/bin/echo 'a").message(), "a quote of the command has no end"));
}

TEST_F(ProcessServiceTest, R_175_AFirstWordThatIsNoPathIsNotShown) {
  EXPECT_EQ(run_named("VAULT_TOKEN=s3cret /bin/keys").message(),
            "cannot start credential_process of " + path("config") + ": No such file or directory");
  EXPECT_EQ(run_named("false s3cret").message(),
            "credential_process of " + path("config") + " ended with exit code 1");
}

TEST_F(ProcessServiceTest, R_6_UnknownPartsOfARequestAreRefused) {
  auto request = sized<ccm_run_request>();
  request.flags = 1;
  Caught caught;
  process_->run(service_.self, {}, &request, caught.completion());
  poll_until([&] { return caught.status.has_value(); });
  EXPECT_EQ(caught.status->code(), Code::unimplemented);
}

}  // namespace
}  // namespace ccm::plugin
