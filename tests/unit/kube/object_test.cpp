#include "kube/object.hpp"

#include "kube/object_decoder.hpp"
#include "kube/object_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace ccm::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ObjectPtr whole(const std::string& json) {
  Result<ObjectPtr> object = Object::decode(json);
  EXPECT_TRUE(object.ok()) << object.status().message();
  return object.ok() ? *object : nullptr;
}

// Number of members or elements; 0 for scalars.
std::size_t count(const Object& object, Object::Position value) {
  std::size_t number = 0;
  object.each(value, [&](std::string_view, Object::Position) { ++number; });
  return number;
}

Result<ObjectPtr> projected(const std::string& json, const std::vector<std::string>& pointers) {
  const auto fields = FieldSet::of(pointers);
  EXPECT_TRUE(fields.ok());
  return Object::decode(json, *fields, {});
}

TEST(Object, ValuesAreEqualWhereverTheyLie) {
  const auto left = whole(R"({"a":{"x":[1,"two",{"k":null}],"y":"z"},"n":1,"short":[1]})");
  const auto right = whole(R"({"before":"it","b":{"x":[1,"two",{"k":null}],"y":"z"},"n":2})");
  const auto equal = [&](const char* mine, const char* theirs) {
    return left->equal(left->find(mine), *right, right->find(theirs));
  };
  EXPECT_TRUE(equal("/a", "/b"));
  EXPECT_TRUE(equal("/a/x/2", "/b/x/2"));
  EXPECT_FALSE(equal("/n", "/n"));
  EXPECT_FALSE(equal("/short", "/b/x")) << "one begins like the other";
  EXPECT_FALSE(equal("/a", "/none"));
  EXPECT_FALSE(equal("/none", "/b"));
  EXPECT_TRUE(equal("/none", "/none"));
}

TEST(Object, NumbersBeyond64BitsStayWhatTheyAre) {
  const std::string text =
      R"({"a":-92233720368547758080.0,"b":1.8446744073709552e19,"c":1e30,"d":9223372036854775807})";
  const auto once = whole(text);
  const auto again = whole(once->json());
  EXPECT_EQ(again->json(), once->json());
  EXPECT_EQ(again->text_at("/a"), "-92233720368547758080.0");
  EXPECT_EQ(again->text_at("/b"), "18446744073709551616.0");
  EXPECT_EQ(again->text_at("/c"), "1e+30");
  EXPECT_EQ(again->text_at("/d"), "9223372036854775807");
}

TEST(Object, KindsAndTexts) {
  const auto object = whole(
      R"({"n":null,"t":true,"f":false,"i":-12,"u":18446744073709551615,"d":1.5,"s":"x","e":"",)"
      R"("a":[1,"two",null],"o":{"k":"v"}})");
  const auto kind = [&](const char* pointer) { return object->kind(object->find(pointer)); };
  EXPECT_EQ(kind(""), Object::Kind::object);
  EXPECT_EQ(kind("/n"), Object::Kind::null);
  EXPECT_EQ(kind("/t"), Object::Kind::boolean);
  EXPECT_EQ(kind("/i"), Object::Kind::number);
  EXPECT_EQ(kind("/s"), Object::Kind::string);
  EXPECT_EQ(kind("/e"), Object::Kind::string);
  EXPECT_EQ(kind("/a"), Object::Kind::array);
  EXPECT_EQ(kind("/o"), Object::Kind::object);
  EXPECT_EQ(kind("/x"), Object::Kind::absent);
  EXPECT_EQ(object->text_at("/t"), "true");
  EXPECT_EQ(object->text_at("/f"), "false");
  EXPECT_EQ(object->text_at("/i"), "-12");
  EXPECT_EQ(object->text_at("/u"), "18446744073709551615");
  EXPECT_EQ(object->text_at("/d"), "1.5");
  EXPECT_EQ(object->text_at("/s"), "x");
  EXPECT_EQ(object->text_at("/n"), "");
  EXPECT_EQ(object->text_at("/a"), "");
  EXPECT_EQ(object->text_at("/a/1"), "two");
  EXPECT_EQ(count(*object, object->find("/a")), 3u);
  EXPECT_EQ(count(*object, object->find("/s")), 0u);
}

TEST(Object, PointersAreEscapedAsRfc6901Says) {
  const auto object = whole(R"({"a/b":1,"m~n":2,"":{"":3},"01":4,"list":[5,[6,7]]})");
  EXPECT_EQ(object->text_at("/a~1b"), "1");
  EXPECT_EQ(object->text_at("/m~0n"), "2");
  EXPECT_EQ(object->text_at("//"), "3");
  EXPECT_EQ(object->text_at("/01"), "4");
  EXPECT_EQ(object->text_at("/list/1/0"), "6");
  for (const char* bad : {"/list/00", "/list/01", "/list/-", "/list/2", "/list/x", "/list/-1",
                          "list", "/m~n", "/a~", "/list/99999999999999999999", "/a~1b/c"}) {
    EXPECT_EQ(object->find(bad), Object::kAbsent) << bad;
  }
  EXPECT_EQ(object->text(object->find(object->find("/list"), "/0")), "5");
  EXPECT_EQ(object->find(object->find("/list"), ""), object->find("/list"));
}

TEST(Object, EachWalksInOrderAndStops) {
  const auto object = whole(R"({"z":1,"a":2,"m":3,"l":["x","y","z"]})");
  std::vector<std::string> keys;
  object->each(Object::kRoot,
               [&](std::string_view key, Object::Position) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre("z", "a", "m", "l"));
  std::vector<std::string> texts;
  object->each(object->find("/l"), [&](std::string_view key, Object::Position at) {
    EXPECT_EQ(key, "");
    texts.emplace_back(object->text(at));
    return texts.size() < 2;
  });
  EXPECT_THAT(texts, ElementsAre("x", "y"));
  object->each(object->find("/z"), [](std::string_view, Object::Position) { FAIL(); });
}

TEST(Object, RenderedJsonReadsBackTheSame) {
  const std::string json =
      R"({"quote":"a\"b\\c","control":"\u0000\u001f\n\t","utf8":"Größe €","words":["Ready","True",""],)"
      R"("deep":[[[{"x":[]}]],{}],"n":[0,-1,2.5,null,true,false]})";
  const auto object = whole(json);
  EXPECT_EQ(object->json(), json);
  EXPECT_EQ(whole(object->json())->json(), json);
  EXPECT_EQ(object->json(object->find("/words")), R"(["Ready","True",""])");
  EXPECT_EQ(object->borrowed_json(), json);
  EXPECT_EQ(object->borrowed_json().data(), object->borrowed_json().data());
}

TEST(Object, LongStringsAndLargeContainers) {
  std::string json = "{";
  for (int i = 0; i < 300; ++i) {
    json += "\"key" + std::to_string(i) + "\":\"" +
            std::string(static_cast<std::size_t>(i) * 7, 'v') + "\",";
  }
  json += R"("last":[1]})";
  const auto object = whole(json);
  EXPECT_EQ(count(*object, Object::kRoot), 301u);
  for (const int i : {0, 9, 63, 64, 127, 128, 255, 299}) {
    EXPECT_EQ(object->text_at("/key" + std::to_string(i)).size(), static_cast<std::size_t>(i) * 7);
  }
  EXPECT_EQ(object->json(), json);
}

TEST(Object, IdentityIsKeptAndAbsentPartsAreEmpty) {
  const std::string json =
      R"({"metadata":{"labels":{"a":"b"},"uid":"u","name":"n","namespace":"s","resourceVersion":"7",)"
      R"("deletionTimestamp":"2026-01-02T03:04:05Z","generation":3},"spec":{"x":1}})";
  const auto object = projected(json, {});
  ASSERT_TRUE(object.ok());
  EXPECT_EQ((*object)->name(), "n");
  EXPECT_EQ((*object)->namespace_name(), "s");
  EXPECT_EQ((*object)->uid(), "u");
  EXPECT_EQ((*object)->resource_version(), "7");
  EXPECT_EQ((*object)->text_at("/metadata/deletionTimestamp"), "2026-01-02T03:04:05Z");
  EXPECT_EQ((*object)->find("/metadata/labels"), Object::kAbsent);
  EXPECT_EQ((*object)->find("/spec"), Object::kAbsent);
  EXPECT_EQ(whole("{}")->name(), "");
}

TEST(Object, ProjectionKeepsDeclaredSubtrees) {
  const std::string json =
      R"({"metadata":{"name":"n","labels":{"k/x":"1","y":"2"},"annotations":{"a/b":"c","d":"e"}},)"
      R"("spec":{"taints":[{"key":"t"}],"podCIDR":"c"},"status":{"images":[1],"addresses":[{"a":"b","c":"d"}]}})";
  const auto object = projected(json, {"/metadata/labels", "/metadata/annotations/a~1b",
                                       "/spec/taints", "/status/addresses/0/a"});
  ASSERT_TRUE(object.ok());
  EXPECT_EQ((*object)->json(),
            R"({"metadata":{"name":"n","labels":{"k/x":"1","y":"2"},"annotations":{"a/b":"c"}},)"
            R"("spec":{"taints":[{"key":"t"}]},"status":{"addresses":[{"a":"b","c":"d"}]}})");
}

TEST(Object, API_140_TypeIsFilledInFromTheList) {
  Object::DecodeOptions options;
  options.kind = "Node";
  options.api_version = "v1";
  const std::string bare = R"({"metadata":{"name":"n"}})";
  const std::string typed = R"({"metadata":{"name":"n"},"kind":"Node","apiVersion":"v1"})";
  const auto one = Object::decode(bare, FieldSet::all(), options);
  const auto two = Object::decode(typed, FieldSet::all(), options);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ((*one)->text_at("/kind"), "Node");
  EXPECT_TRUE((*one)->same_content(**two));
  const auto foreign =
      Object::decode(R"({"kind":"Pod","metadata":{"name":"n"}})", FieldSet::all(), options);
  EXPECT_EQ(foreign.status().code(), Code::failed_precondition);
}

TEST(Object, SameContentLooksPastTheVersionOnly) {
  const auto make = [](const std::string& version, const std::string& spec) {
    return whole(R"({"metadata":{"name":"n","resourceVersion":")" + version +
                 R"(","uid":"u"},"spec":)" + spec + "}");
  };
  EXPECT_TRUE(make("7", "[1,2]")->same_content(*make("8", "[1,2]")));
  EXPECT_TRUE(make("9", "[1,2]")->same_content(*make("10", "[1,2]")));
  EXPECT_TRUE(make("7", "[1,2]")->same_content(*make("7", "[1,2]")));
  EXPECT_FALSE(make("7", "[1,2]")->same_content(*make("7", "[1,3]")));
  EXPECT_FALSE(make("9", "[1,2]")->same_content(*make("10", "[1,2,3]")));
  EXPECT_FALSE(make("9", R"({"a":1})")->same_content(*make("10", R"({"b":1})")));
  EXPECT_FALSE(make("7", "[1,2]")->same_content(*whole("{}")));
  EXPECT_TRUE(whole("{}")->same_content(*whole("{}")));
}

TEST(Object, MalformedTextsAreRefusedWithoutQuotingThem) {
  const std::string secret = "s3cr3t";
  for (const std::string& text : std::vector<std::string>{
           "", " ", "[]", "null", "7", "\"" + secret + "\"", "{", R"({"a":)", R"({"a" 1})",
           R"({"a":")" + secret, "{\"a\":\"\xff\"}", "{\"a\":\"\x01\"}", R"({"a":tru})",
           R"({"a":01})", R"({"a":1e999})", "{}}", R"({"a":[1,]})", "\xef\xbb\xbf{"}) {
    const auto object = Object::decode(text);
    ASSERT_FALSE(object.ok()) << text;
    EXPECT_EQ(object.status().code(), Code::data_loss) << text;
    EXPECT_THAT(object.status().message(), Not(HasSubstr(secret)));
  }
}

TEST(Object, MalformedPartsOutsideOfTheProjectionAreNoticedToo) {
  EXPECT_FALSE(projected(R"({"metadata":{"name":"n"},"other":[1,}]})", {}).ok());
}

TEST(Object, TooDeepNestingIsRefused) {
  const auto nested = [](int depth) {
    return R"({"a":)" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  EXPECT_TRUE(Object::decode(nested(100)).ok());
  EXPECT_FALSE(Object::decode(nested(130)).ok());
  EXPECT_FALSE(Object::decode(nested(1'000'000)).ok());
}

TEST(Object, HugeObjectIsDecodedWhole) {
  std::string json = R"({"metadata":{"name":"big"},"data":[)";
  for (int i = 0; i < 200'000; ++i) json += std::to_string(i) + ",";
  json += "0]}";
  const auto object = whole(json);
  EXPECT_EQ(object->text_at("/data/199999"), "199999");
  const auto small = projected(json, {});
  ASSERT_TRUE(small.ok());
  EXPECT_LT((*small)->memory(), 100u);
}

TEST(Object, MissingNameIsRefusedOnDemand) {
  EXPECT_EQ(projected(R"({"metadata":{}})", {}).status().code(), Code::data_loss);
  EXPECT_FALSE(projected(R"({"metadata":{"name":7}})", {}).ok());
  EXPECT_FALSE(projected(R"({"metadata":"name"})", {}).ok());
}

TEST(Object, WrongPositionsNeverLeaveTheObject) {
  const auto object = whole(
      R"({"metadata":{"name":"n","labels":{"kubernetes.io/arch":"amd64"}},"list":[1,2,{"a":"bbbbbb"}]})");
  for (Object::Position at = 0; at < object->memory() + 64; ++at) {
    (void)object->kind(at);
    (void)object->text(at);
    (void)count(*object, at);
    (void)object->find(at, "/a/0");
    (void)object->equal(at, *object, object->find("/list"));
    (void)object->equal(at, *object, at + 1);
    EXPECT_TRUE(object->equal(at, *object, at)) << "itself";
    EXPECT_LE(object->json(at).size(), 4096u);
  }
  EXPECT_EQ(object->kind(Object::kAbsent), Object::Kind::absent);
  EXPECT_EQ(object->json(Object::kAbsent), "");
}

TEST(Object, ManyThreadsBorrowOneText) {
  const auto object = whole(R"({"metadata":{"name":"n"}})");
  std::vector<std::string_view> texts(4);
  std::vector<std::thread> threads;
  for (std::string_view& text : texts) {
    threads.emplace_back([object, &text] {
      const ObjectPtr mine = object;
      text = mine->borrowed_json();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string_view text : texts) EXPECT_EQ(text.data(), texts[0].data());
}

TEST(FieldSet, RefusesAPointerThatIsDeeperThanAnyObject) {
  std::string pointer;
  for (int i = 0; i < 128; ++i) pointer += "/a";
  EXPECT_TRUE(FieldSet::of({pointer}).ok());
  EXPECT_EQ(FieldSet::of({pointer + "/a"}).status().code(), Code::invalid_argument);
}

TEST(FieldSet, CoversAndMerges) {
  FieldSet set = *FieldSet::of({"/spec/a", "/metadata/labels/x"});
  EXPECT_TRUE(set.covers(*FieldSet::of({"/spec/a/b/c"})));
  EXPECT_FALSE(set.covers(*FieldSet::of({"/spec"})));
  EXPECT_FALSE(set.covers(FieldSet::all()));
  EXPECT_TRUE(FieldSet::all().covers(set));
  EXPECT_TRUE(set.covers(FieldSet()));
  set.merge(*FieldSet::of({"/spec"}));
  EXPECT_TRUE(set.covers(*FieldSet::of({"/spec/z"})));
  set.merge(FieldSet::all());
  EXPECT_TRUE(set.everything());
  EXPECT_TRUE(FieldSet::of({""})->everything());
}

TEST(FieldSet, ADashKeepsAPartOfEachElement) {
  const char* text = R"({"metadata":{"name":"n"},"status":{"conditions":[)"
                     R"({"type":"Ready","status":"True","lastHeartbeatTime":"now"},7,)"
                     R"({"type":"Disk","reason":"x"}]}})";
  auto set = *FieldSet::of({"/status/conditions/-/type", "/status/conditions/-/status"});
  Object::DecodeOptions options;
  const auto partly = Object::decode(text, set, options);
  ASSERT_TRUE(partly.ok());
  const auto conditions = [](const Object& object) {
    return object.json(object.find("/status/conditions"));
  };
  EXPECT_EQ(conditions(**partly), R"([{"type":"Ready","status":"True"},7,{"type":"Disk"}])");
  EXPECT_FALSE(set.covers(*FieldSet::of({"/status/conditions"})));
  EXPECT_FALSE(set.covers(*FieldSet::of({"/status/conditions/0/type"})));
  set.merge(*FieldSet::of({"/status/conditions/0/type"}));  // somebody needs whole elements
  EXPECT_NE(conditions(**Object::decode(text, set, options)).find("Heartbeat"), std::string::npos);
}

TEST(FieldSet, BadPointersAreNamed) {
  for (const char* bad : {"spec", "/a~2", "/a~"}) {
    const auto set = FieldSet::of({"/good", bad});
    ASSERT_FALSE(set.ok());
    EXPECT_EQ(set.status().code(), Code::invalid_argument);
    EXPECT_THAT(set.status().message(), HasSubstr(bad));
  }
}

TEST(ObjectDecoder, EventsOfAllTypes) {
  Object::DecodeOptions options;
  options.kind = "Node";
  options.api_version = "v1";
  const auto decode = [&](const std::string& text) {
    return decode_event(text, FieldSet(), options);
  };
  const auto added = decode(R"({"object":{"metadata":{"name":"n"}},"type":"ADDED"})");
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->type, WatchEvent::Type::added);
  EXPECT_EQ(added->object->name(), "n");
  const auto bookmark = decode(
      R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"9","annotations":{"a":"b"}}}})");
  ASSERT_TRUE(bookmark.ok());
  EXPECT_EQ(bookmark->object->resource_version(), "9");
  EXPECT_EQ(bookmark->object->text_at("/metadata/annotations/a"), "b");
  const auto error = decode(R"({"type":"ERROR","object":{"kind":"Status","code":410}})");
  ASSERT_TRUE(error.ok());
  EXPECT_THAT(error->error_json, HasSubstr("410"));
  EXPECT_EQ(decode(R"({"type":"NEW"})")->type, WatchEvent::Type::other);
  EXPECT_FALSE(decode(R"({"object":{}})").ok());
  EXPECT_FALSE(decode(R"({"type":"ADDED"})").ok());
  EXPECT_FALSE(decode(R"({"type":"ADDED","object":7})").ok());
}

TEST(ObjectStore, AnUpdateWasSeenWhenItsObjectWas) {
  ObjectStore store;
  const auto node = [](const char* uid) {
    return whole(R"({"metadata":{"name":"n","uid":")" + std::string(uid) + R"("}})");
  };
  const auto before = BootClock::now();
  store.put(node("u-1"));
  const auto seen = store.get({"", "n"})->seen();
  EXPECT_GE(seen, before);
  EXPECT_LE(seen, BootClock::now());
  while (BootClock::now() == seen) {
  }
  store.put(node("u-1"));
  EXPECT_EQ(store.get({"", "n"})->seen(), seen);
  store.put(node("u-2"));
  EXPECT_GT(store.get({"", "n"})->seen(), seen) << "made again under its name";
}

}  // namespace
}  // namespace ccm::kube
