#include "openstack/config/values.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace ccm::openstack {
namespace {

using std::chrono::milliseconds;

TEST(ValuesTest, OS_29_Booleans) {
  for (const char* text : {"true", "TRUE", "Yes", "on", "1"})
    EXPECT_EQ(parse_boolean(text), true) << text;
  for (const char* text : {"false", "No", "OFF", "0"})
    EXPECT_EQ(parse_boolean(text), false) << text;
  for (const char* text : {"", "t", "truee", " true", "2"})
    EXPECT_EQ(parse_boolean(text), std::nullopt) << text;
}

TEST(ValuesTest, OS_30_Numbers) {
  EXPECT_EQ(parse_integer(" 42\t"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("0x1F"), 31);
  EXPECT_EQ(parse_integer("010"), 10);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<int64_t>::max());
  for (const char* text :
       {"", " ", "-", "--1", "0x", "0x-1", "1.5", "1e3", "1 2", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(ValuesTest, OS_31_Durations) {
  EXPECT_EQ(parse_duration("1m30s"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("1.5h"), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("300ms"), milliseconds(300));
  EXPECT_EQ(parse_duration("2500us"), milliseconds(3));
  EXPECT_EQ(parse_duration("1500\u00b5s"), milliseconds(2));
  EXPECT_EQ(parse_duration("+5s"), milliseconds(5'000));
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  EXPECT_EQ(parse_duration(".5s"), milliseconds(500));
  for (const char* text :
       {"", "5", "s", "-5s", "5 s", "5S", "1d", "infs", "nans", "1e9h", "99999999h", "1s2"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace ccm::openstack
