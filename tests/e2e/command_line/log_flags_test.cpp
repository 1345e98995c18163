// The flags of the log do what --help says, in the streams of the real program.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/suite_world.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

struct Unused {};

class LogFlagsTest : public support::SuiteWorld<Unused> {
 protected:
  struct Streams {
    Lines out;
    Lines err;
  };
  // What a manager wrote until it was stopped. --allow-untagged-cloud is there for a warning.
  Streams run(const std::vector<std::string>& flags) {
    const support::TemporaryFolder own("ccm-log-flags");
    const auto out = own.path() / "out";
    const auto err = own.path() / "err";
    std::vector<std::string> command = {"/bin/sh",
                                        "-c",
                                        R"(out=$1 err=$2; shift 2; exec "$@" >"$out" 2>"$err")",
                                        "sh",
                                        out.string(),
                                        err.string(),
                                        support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
                                        "--kubeconfig=" + server().manager_kubeconfig().string(),
                                        "--cloud-provider=sandbox",
                                        "--cloud-config=" + cloud().config().string(),
                                        "--controllers=cloud-node-controller",
                                        "--leader-elect=false",
                                        "--secure-port=0",
                                        "--allow-untagged-cloud"};
    command.insert(command.end(), flags.begin(), flags.end());
    support::Process manager(command, {own.path() / "log", {{"KUBECONFIG", ""}, {"HOME", ""}}});
    EXPECT_TRUE(support::eventually(support::patience(),
                                    [&] {
                                      const std::string all = text_of(out) + text_of(err);
                                      return all.find("Caches are synced") != std::string::npos;
                                    }))
        << text_of(out) << text_of(err) << manager.log();
    EXPECT_EQ(manager.stop().code, 0);
    return {lines_of(text_of(out)), lines_of(text_of(err))};
  }
  static std::string text_of(const std::filesystem::path& file) {
    return std::filesystem::exists(file) ? support::read_file(file) : std::string();
  }
  static Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  static std::ptrdiff_t count(const Lines& lines, const std::string& part) {
    return std::count_if(lines.begin(), lines.end(), [&part](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
};

TEST_F(LogFlagsTest, HOST_72_TextAndJsonGoToStandardError) {
  const Streams text = run({});
  EXPECT_TRUE(text.out.empty());
  for (const std::string& line : text.err) {
    EXPECT_NE(std::string("IWE").find(line.at(0)), std::string::npos) << line;
  }
  const Streams structured = run({"--logging-format=json"});
  EXPECT_TRUE(structured.out.empty());
  ASSERT_FALSE(structured.err.empty());
  for (const std::string& line : structured.err) {
    const json record = json::parse(line, nullptr, false);
    ASSERT_TRUE(record.is_object()) << line;
    for (const char* member : {"ts", "caller", "msg"}) EXPECT_TRUE(record.contains(member)) << line;
  }
}

TEST_F(LogFlagsTest, HOST_73_StreamsAreSplit) {
  for (const char* format : {"text", "json"}) {
    const Streams split =
        run({"--feature-gates=LoggingAlphaOptions=true", std::string("--logging-format=") + format,
             std::string("--log-") + format + "-split-stream"});
    EXPECT_EQ(count(split.out, "Caches are synced"), 1) << format;
    EXPECT_EQ(count(split.out, "Flag is deprecated"), 0) << format;
    EXPECT_EQ(count(split.err, "Flag is deprecated"), 1) << format;
    EXPECT_EQ(count(split.err, "Caches are synced"), 0) << format;
  }
}

TEST_F(LogFlagsTest, HOST_72_VerbosityOfAllAndOfSingleFiles) {
  const char* const reported = "] \"Flag\" name=\"--cloud-provider\"";
  EXPECT_EQ(count(run({}).err, reported), 0);
  EXPECT_EQ(count(run({"--v=1"}).err, reported), 1);
  EXPECT_EQ(count(run({"--vmodule=options_command_line=1"}).err, reported), 1);
  EXPECT_EQ(count(run({"--vmodule=another_file=4"}).err, reported), 0);
}

}  // namespace
}  // namespace ccm::e2e
