// Objects in protobuf read as the same objects in JSON.
#include "kube/client.hpp"
#include "kube/client_status.hpp"
#include "kube/object_decoder.hpp"
#include "kube/protobuf_decoder.hpp"
#include "kube/wire_format.hpp"
#include "protobuf_bytes.hpp"

#include <ccm/base64.hpp>

#include <gmock/gmock.h>

#include <random>

namespace ccm::kube {
namespace {

using protobuf::message_of;
using protobuf::Projection;

Result<ObjectPtr> from_protobuf(const EncodedObject& object, const FieldSet& fields) {
  const Projection projection(*message_of(object.api_version, object.kind), fields);
  // A copy of exactly that size, so that AddressSanitizer sees a read beyond its end.
  const std::vector<char> bytes(object.message.begin(), object.message.end());
  return protobuf::decode_object({bytes.data(), bytes.size()}, projection,
                                 {object.kind, object.api_version, false});
}

Result<ObjectPtr> from_json(const EncodedObject& object, const FieldSet& fields) {
  return Object::decode(object.json, fields, {object.kind, object.api_version, false});
}

void expect_equal(const EncodedObject& object, const FieldSet& fields, const std::string& what) {
  const auto read = from_protobuf(object, fields);
  const auto wanted = from_json(object, fields);
  ASSERT_TRUE(wanted.ok()) << what;
  ASSERT_TRUE(read.ok()) << what << ": " << read.status().message();
  EXPECT_EQ((*read)->json(), (*wanted)->json()) << what;
  EXPECT_TRUE((*read)->same_content(**wanted)) << what;
}

EncodedObject node(const std::string& message, const std::string& json = "{}") {
  return {"v1", "Node", message, json};
}

FieldSet fields_of(const std::vector<std::string>& pointers) { return *FieldSet::of(pointers); }

std::string escaped(std::string_view key) {
  std::string result;
  for (const char c : key) {
    if (c == '~' || c == '/') {
      result += c == '~' ? "~0" : "~1";
    } else {
      result += c;
    }
  }
  return result;
}

// Pointers to everything in the object; lists by index and by "-".
void collect(const Object& object, Object::Position at, const std::string& pointer,
             std::vector<std::string>& out) {
  const bool keyed = object.kind(at) == Object::Kind::object;
  std::size_t index = 0;
  object.each(at, [&](std::string_view key, Object::Position below) {
    const std::string place = pointer + "/" + (keyed ? escaped(key) : std::to_string(index++));
    out.push_back(place);
    collect(object, below, place, out);
    if (!keyed) collect(object, below, pointer + "/-", out);
  });
}

TEST(Protobuf, ObjectsOfKubernetesReadAsTheirJson) {
  const auto objects = encoded_objects();
  ASSERT_EQ(objects.size(), 8 * protobuf::kinds().size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    expect_equal(objects[i], FieldSet::all(), objects[i].kind + " " + std::to_string(i));
  }
}

TEST(Protobuf, AnyProjectionIsTheOneOfTheJson) {
  std::mt19937 random(20);
  for (const EncodedObject& object : encoded_objects()) {
    const ObjectPtr whole = *from_json(object, FieldSet::all());
    std::vector<std::string> pointers;
    collect(*whole, Object::kRoot, "", pointers);
    for (int round = 0; round < 12; ++round) {
      std::vector<std::string> chosen;
      std::string text;
      for (std::size_t i = 0; i < 1 + random() % 5; ++i) {
        chosen.push_back(pointers[random() % pointers.size()]);
        text += chosen.back() + " ";
      }
      expect_equal(object, fields_of(chosen), object.kind + " " + text);
    }
  }
}

TEST(Protobuf, ATruncatedObjectIsMalformedOrShorter) {
  for (const EncodedObject& object : encoded_objects()) {
    // Every place in small ones, 50 in large ones.
    const std::size_t step = 1 + object.message.size() / 50;
    for (std::size_t size = 0; size < object.message.size(); size += step) {
      EncodedObject cut = object;
      cut.message.resize(size);
      const auto read = from_protobuf(cut, FieldSet::all());
      if (read.ok()) continue;
      EXPECT_EQ(read.status().code(), Code::data_loss) << read.status().message();
    }
  }
}

TEST(Protobuf, BrokenMessagesAreDataLoss) {
  const std::vector<std::string> broken = {
      "\x0a",  // no length
      std::string("\x0a\x05"
                  "abc"),                                     // a length beyond the end
      std::string(11, '\x80') + "\x01",                       // a tag of twelve bytes
      "\x0a" + std::string(9, '\xff') + "\x02",               // a length above 64 bits
      "\x0a" + std::string(9, '\xff') + "\x01",               // a huge length
      std::string("\x02\x00", 2),                             // number 0
      "\x0b",                                                 // a group
      integer_field(1, 5),                                    // metadata is no integer
      field(1, field(7, "x")),                                // generation is no text
      field(1, field(8, field(1, "x"))),                      // a time that is a text
      field(1, field(8, integer_field(1, 253'402'300'800))),  // the year 10000
      field(1, field(11, integer_field(1, 1))),               // a label without a text
      field(3, field(1, field(1, "cpu") + field(2, integer_field(1, 1)))),
      field(1, field(17, field(7, field(1, "{\"open\":")))),  // JSON within
      field(1, field(17, field(7, field(1, "{} {}")))),
  };
  for (std::size_t i = 0; i < broken.size(); ++i) {
    const auto read = from_protobuf(node(broken[i]), FieldSet::all());
    ASSERT_FALSE(read.ok()) << i;
    EXPECT_EQ(read.status().code(), Code::data_loss) << i << ": " << read.status().message();
  }
}

TEST(Protobuf, AnUnknownFieldIsALossOnlyWhereTheWholeMessageIsKept) {
  const std::string spec = field(3, "sandbox://1") + field(99, "new");
  const std::string taint = field(5, field(1, "key") + integer_field(40, 1));
  const EncodedObject object = node(field(1, field(1, "a")) + field(2, spec + taint));
  EXPECT_TRUE(from_protobuf(object, fields_of({"/spec/providerID"})).ok());
  EXPECT_TRUE(from_protobuf(object, fields_of({"/spec/taints/-/key", "/status"})).ok());
  for (const char* pointer : {"/spec", "/spec/taints", "/spec/taints/0/key"}) {
    const auto read = from_protobuf(object, fields_of({pointer}));
    ASSERT_FALSE(read.ok()) << pointer;
    EXPECT_TRUE(needs_json(read.status())) << read.status().message();
    EXPECT_EQ(read.status().code(), Code::unimplemented);
  }
}

TEST(Protobuf, AFieldThatComesTwiceIsLeftToJson) {
  const auto read = from_protobuf(node(field(2, field(3, "a")) + field(2, field(4, "b"))),
                                  fields_of({"/spec/providerID"}));
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(needs_json(read.status()));
}

TEST(Protobuf, MapsAreInOrderAndTheLastOfTwoEqualKeysCounts) {
  const std::string labels = map_entry(11, "b", "1") + map_entry(11, "a", "2") +
                             map_entry(11, "b", "3") + map_entry(11, "", "4") + field(11, "");
  const auto read = from_protobuf(node(field(1, labels)), fields_of({"/metadata/labels"}));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ((*read)->json((*read)->find("/metadata/labels")), R"({"":"","a":"2","b":"3"})");
}

TEST(Protobuf, JsonWithinAnObjectIsAsDeepAsInJson) {
  for (int depth = 115; depth < 130; ++depth) {
    std::string text = "1";
    for (int i = 0; i < depth; ++i) text = "[" + text + "]";
    const EncodedObject object =
        node(field(1, field(17, field(7, field(1, text)))),
             R"({"metadata":{"managedFields":[{"fieldsV1":)" + text + "}]}}");
    const FieldSet fields = fields_of({"/metadata/managedFields"});
    EXPECT_EQ(from_protobuf(object, fields).ok(), from_json(object, fields).ok()) << depth;
  }
}

TEST(Protobuf, EmptyAndAbsent) {
  // *bool, a list that JSON never leaves out, a struct that is always there, omitzero.
  const auto service = from_protobuf({"v1", "Service", field(2, integer_field(20, 0)), ""},
                                     fields_of({"/spec", "/status", "/metadata"}));
  EXPECT_EQ((*service)->json(),
            R"({"apiVersion":"v1","kind":"Service","metadata":{},"spec":)"
            R"({"allocateLoadBalancerNodePorts":false},"status":{"loadBalancer":{}}})");
  const auto slice = from_protobuf({"discovery.k8s.io/v1", "EndpointSlice", "", ""},
                                   fields_of({"/endpoints", "/ports", "/addressType"}));
  EXPECT_EQ((*slice)->json(), R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice",)"
                              R"("metadata":{},"addressType":"","endpoints":null,"ports":null})");
  const auto image = from_protobuf(node(field(3, field(8, ""))), fields_of({"/status/images"}));
  EXPECT_EQ((*image)->json((*image)->find("/status/images")), R"([{"names":null}])");
}

TEST(Protobuf, APointerThatTheTableDoesNotKnowNeedsJson) {
  const Object::DecodeOptions options{"Node", "v1", true};
  const auto format = WireFormat::make_protobuf(fields_of({"/status/newThing/x"}), options);
  ASSERT_FALSE(format.ok());
  EXPECT_THAT(format.status().message(), testing::HasSubstr("/status/newThing"));
  EXPECT_FALSE(WireFormat::make_protobuf(FieldSet::all(), options).ok());
  EXPECT_FALSE(WireFormat::make_protobuf(FieldSet(), {"Widget", "example.com/v1", true}).ok());
  EXPECT_FALSE(WireFormat::make_protobuf(FieldSet(), {"Node", "v2", true}).ok());
  EXPECT_FALSE(WireFormat::make_protobuf(fields_of({"/spec/taints/-/newThing"}), options).ok());
  EXPECT_TRUE(
      WireFormat::make_protobuf(fields_of({"/spec/taints/-/key", "/metadata/labels/a~1b"}), options)
          .ok());
}

TEST(Protobuf, API_24_EventsOfAWatch) {
  const FieldSet fields = fields_of({"/spec/providerID"});
  const auto format = WireFormat::make_protobuf(fields, {"Node", "v1", true});
  const auto decode = [&](const std::string& message) { return format->decode_event(message); };
  const auto added =
      decode(watch_event("ADDED", unknown_object("v1", "Node", node_message("a", 5))));
  ASSERT_TRUE(added.ok()) << added.status().message();
  EXPECT_EQ(added->type, WatchEvent::Type::added);
  EXPECT_EQ(added->object->json(),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","uid":"uid-a",)"
            R"("resourceVersion":"5"},"spec":{"providerID":"sandbox://1"}})");
  const std::string end =
      field(1, field(6, "9") + map_entry(12, "k8s.io/initial-events-end", "true"));
  const auto bookmark = decode(watch_event("BOOKMARK", unknown_object("v1", "Node", end)));
  ASSERT_TRUE(bookmark.ok()) << bookmark.status().message();
  EXPECT_EQ(bookmark->object->resource_version(), "9");
  EXPECT_EQ(bookmark->object->text_at("/metadata/annotations/k8s.io~1initial-events-end"), "true");
  const std::string gone =
      field(2, "Failure") + field(3, "too old") + field(4, "Expired") + integer_field(6, 410);
  const auto error = decode(watch_event("ERROR", unknown_object("v1", "Status", gone)));
  ASSERT_TRUE(error.ok());
  EXPECT_TRUE(is_expired(status_of_object(error->error_json))) << error->error_json;
  EXPECT_EQ(decode(watch_event("NEWS", "")).value().type, WatchEvent::Type::other);
  EXPECT_EQ(decode(watch_event("ADDED", unknown_object("v1", "Pod", ""))).status().code(),
            Code::failed_precondition);
  EXPECT_EQ(decode(watch_event("ADDED", unknown_object("v1", "Node", ""))).status().code(),
            Code::data_loss);
  EXPECT_EQ(decode(watch_event("ADDED", "{}")).status().code(), Code::data_loss);
  EXPECT_EQ(decode("").status().code(), Code::data_loss);
}

// As a real kube-apiserver v1.36 sent it.
TEST(Protobuf, AFailureIsAStatusToo) {
  const std::string body = *base64_decode(
      "azhzAAoMCgJ2MRIGU3RhdHVzEksKBgoAEgAaABIHRmFpbHVyZRoWbm9kZXMgIm5vbmUiIG5vdCBmb3VuZCIITm90Rm91"
      "bmQqEwoEbm9uZRIAGgVub2RlcygAMgAwlAMaACIA");
  const Status status = status_of_answer(404, body, "");
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_EQ(status.reason(), "NotFound");
  EXPECT_EQ(status.message(), "nodes \"none\" not found");
  const Status strange = status_of_answer(503, std::string("k8s\0\xff", 5), "");
  EXPECT_EQ(strange.code(), Code::unavailable);
}

}  // namespace
}  // namespace ccm::kube
