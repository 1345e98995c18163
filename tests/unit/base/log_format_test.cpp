#include "base/log.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <vector>

namespace ccm::log {
namespace {

constexpr std::chrono::system_clock::time_point kTime{
    std::chrono::microseconds(1'637'485'297'123'456)};  // 2021-11-21T09:01:37.123456Z

class LogFormat : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

TEST_F(LogFormat, HOST_72_TextIsShapedAsKlogs) {
  const std::vector<Field> fields{{"node", "worker-1"}, {"attempt", 3}, {"ready", true}};
  const Record record{Severity::info, 2, "initialised node", fields, "/src/core/node.cpp", 42, {}};
  EXPECT_EQ(format_text(record, kTime, 4711),
            "I1121 09:01:37.123456    4711 node.cpp:42] \"initialised node\" node=\"worker-1\" "
            "attempt=3 ready=true");
}

TEST_F(LogFormat, SeverityIsTheFirstLetter) {
  Record record{Severity::warning, 0, "m", {}, "a.cpp", 1, {}};
  EXPECT_EQ(format_text(record, kTime, 1).front(), 'W');
  record.severity = Severity::error;
  EXPECT_EQ(format_text(record, kTime, 1).front(), 'E');
}

TEST_F(LogFormat, EveryKindOfValue) {
  const std::vector<std::string> list{"a", "b c"};
  const Status status(Code::not_found, "no such node");
  const std::string text = "s";  // fields refer to their texts
  const std::vector<Field> fields{{"string", text},
                                  {"signed", int64_t{-5}},
                                  {"unsigned", uint64_t{5}},
                                  {"float", 1.5},
                                  {"duration", std::chrono::seconds(90)},
                                  {"list", list},
                                  {"err", status}};
  const Record record{Severity::info, 0, "m", fields, "a.cpp", 1, {}};
  EXPECT_EQ(format_text(record, kTime, 1).substr(37),
            "] \"m\" string=\"s\" signed=-5 unsigned=5 float=1.5 duration=\"1m30s\" "
            "list=[\"a\",\"b c\"] err=\"no such node\"");
}

TEST_F(LogFormat, OneRecordStaysOneLine) {
  const std::vector<Field> fields{{"text", "a\nb\t\"\\\x01\xff\u00e4"}};
  const Record record{Severity::info, 0, "m", fields, "a.cpp", 1, {}};
  EXPECT_EQ(format_text(record, kTime, 1).substr(39),
            "\"m\" text=\"a\\nb\\t\\\"\\\\\\x01\\xff\u00e4\"");
  EXPECT_NE(format_json(record, kTime).find(R"("text":"a\nb\t\"\\\u0001\ufffd)"),
            std::string::npos);
}

// As Go's %q, which klog uses, and as JSON.
TEST_F(LogFormat, Issue37_12_CharactersThatTurnOrHideOthersAreShownByNumber) {
  const std::vector<Field> fields{{"text", "a\u202eb\u200b\u2028\u0085\U000e0041\u20ac"}};
  const Record record{Severity::info, 0, "m\u2066", fields, "a.cpp", 1, {}};
  EXPECT_EQ(format_text(record, kTime, 1).substr(39),
            R"("m\u2066" text="a\u202eb\u200b\u2028\u0085\U000e0041)"
            "\u20ac\"");
  const std::string json = format_json(record, kTime);
  EXPECT_NE(json.find(R"("text":"a\u202eb\u200b\u2028\u0085\udb40\udc41)"
                      "\u20ac\""),
            std::string::npos)
      << json;
}

TEST_F(LogFormat, PluginsAreNamedAsLoggers) {
  const Record record{Severity::info, 0, "m", {}, "", 0, "node"};
  EXPECT_EQ(format_text(record, kTime, 1).substr(30), "???:0] \"m\" logger=\"node\"");
  EXPECT_EQ(format_json(record, kTime),
            R"({"ts":1637485297123.456,"logger":"node","msg":"m","v":0})");
}

TEST_F(LogFormat, HOST_72_JsonIsShapedAsKlogs) {
  const std::vector<Field> fields{{"node", "worker-1"}, {"attempt", 3}};
  Record record{Severity::info, 4, "initialised node", fields, "/src/core/app/node.cpp", 42, {}};
  EXPECT_EQ(format_json(record, kTime),
            R"({"ts":1637485297123.456,"caller":"app/node.cpp:42","msg":"initialised node","v":4,)"
            R"("node":"worker-1","attempt":3})");
  record.severity = Severity::error;
  EXPECT_EQ(format_json(record, kTime),
            R"({"ts":1637485297123.456,"caller":"app/node.cpp:42","msg":"initialised node",)"
            R"("node":"worker-1","attempt":3})");
}

}  // namespace
}  // namespace ccm::log
