#include "plugin_files/plugin_file.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace ccm::plugin_files {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PinsTest : public testing::Test {
 protected:
  PinsTest() {
    const int file = ::mkstemp(path_.data());
    EXPECT_GE(file, 0);
    ::close(file);
  }
  ~PinsTest() override { ::unlink(path_.c_str()); }
  Status read(const std::string& content) {
    std::ofstream(path_) << content;
    return pins_.read(path_);
  }

  const std::string one_ = std::string(64, '1');
  const std::string two_ = std::string(62, '2') + "aB";
  const std::string lower_ = std::string(62, '2') + "ab";
  std::string path_ = "/tmp/ccm-pins-XXXXXX";
  Pins pins_;
};

TEST_F(PinsTest, OnePluginMayHaveSeveralSums) {
  EXPECT_TRUE(pins_.empty());
  EXPECT_TRUE(pins_.add("com.example=" + one_).ok());
  EXPECT_TRUE(pins_.add(" com.example = " + two_ + " ").ok());
  EXPECT_TRUE(pins_.add("com.example=" + lower_).ok()) << "the same one again";
  ASSERT_NE(pins_.find("com.example"), nullptr);
  EXPECT_THAT(*pins_.find("com.example"), ElementsAre(one_, lower_));
  EXPECT_EQ(pins_.find("com"), nullptr);
}

TEST_F(PinsTest, WhatIsNoPinIsRefusedWithItsText) {
  for (const std::string& text :
       {std::string(), std::string("com.example"), "=" + one_, "com.example=" + one_ + "1",
        "com.example=" + std::string(64, 'g'), "com.example=" + std::string(63, '1')}) {
    const Status status = pins_.add(text);
    EXPECT_EQ(status.code(), Code::invalid_argument) << text;
    EXPECT_THAT(status.message(), HasSubstr("\"" + text + "\" is no ID=SUM"));
  }
  EXPECT_TRUE(pins_.empty());
}

TEST_F(PinsTest, AFileHasOneOnEachLine) {
  const Status status =
      read("# pins\n\n" + pin_line("a", one_, "/lib/a.so") + "\n  b=" + two_ + "\r\n");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_NE(pins_.find("a"), nullptr);
  EXPECT_NE(pins_.find("b"), nullptr);
}

TEST_F(PinsTest, AFaultInAFileIsNamedByItsLine) {
  EXPECT_THAT(read("a=" + one_ + "\nb=12\n").message(), HasSubstr(path_ + ":2: \"b=12\" is no"));
}

// It would pin nothing, and nobody would notice.
TEST_F(PinsTest, AFileWithoutAnyIsAFault) {
  EXPECT_THAT(read("# none yet\n").message(), HasSubstr("names no plugin"));
  EXPECT_THAT(pins_.read("/nonexistent/pins").message(),
              HasSubstr("/nonexistent/pins cannot be read: No such file"));
  EXPECT_FALSE(pins_.read("/tmp").ok());
}

}  // namespace
}  // namespace ccm::plugin_files
