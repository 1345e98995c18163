// Kubernetes objects: decoding, projection, and every way to read what was kept (kube/object.hpp).
// Input: a byte of choices; JSON pointers separated by blanks, up to a newline; the JSON text.
// Properties: what is rendered decodes to the same; a projection shows what the whole object shows;
// memory stays in proportion to the text; wrong positions are harmless; an event's object is the
// object.
#include "fuzz.hpp"
#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

using kube::FieldSet;
using kube::Object;
using kube::ObjectPtr;
using Position = Object::Position;

constexpr std::size_t kDeepest = 128;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string escaped(std::string_view key) {
  std::string result = "/";
  for (const char c : key) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

struct Walk {
  const Object& object;
  std::size_t deepest = 0;
  std::size_t values = 0;

  // `plain`: no two members on the way here have one name, so a pointer leads here.
  void value(Position at, const std::string& pointer, std::size_t depth, bool plain = true) {
    deepest = std::max(deepest, depth);
    if (++values > 2000) return;
    const bool keyed = object.kind(at) == Object::Kind::object;
    require(object.kind(at) != Object::Kind::absent, "what each() shows is there");
    std::size_t index = 0;
    object.each(at, [&](std::string_view key, Position inner) {
      const std::string place = pointer + (keyed ? escaped(key) : "/" + std::to_string(index));
      const bool first = plain && (!keyed || object.member(at, key) == inner);
      require(!first || object.find(place) == inner, "a pointer finds what each() shows");
      ++index;
      value(inner, place, depth + 1, first);
    });
  }
};

void check_wrong_positions(const Object& object, std::string_view text) {
  Position position = text.size();
  for (int i = 0; i < 24; ++i) {
    position = i < 12 ? position * 6364136223846793005U + 1442695040888963407U
                      : (position * 31 + 7) % (object.memory() + 8);
    (void)object.kind(position);
    (void)object.text(position);
    (void)object.find(position, "/a/0");
    (void)object.member(position, "metadata");
    (void)object.json(position);
  }
}

void check_object(const Object& object, std::string_view text, const FieldSet& fields,
                  const Object::DecodeOptions& options) {
  require(object.memory() <= 512 + 4 * text.size(), "memory in proportion to the text");
  Walk walk{object};
  walk.value(Object::kRoot, "", 1);
  require(walk.deepest <= kDeepest, "no deeper than the limit");
  const std::string json = object.json();
  require_equal(json, object.borrowed_json(), "json() and borrowed_json()");
  const auto again = kube::decode_object(json, fields, options);
  require(again.ok(), "what is rendered can be decoded");
  require_equal(json, (*again)->json(), "rendering is idempotent");
  require(object.same_content(**again) && (*again)->same_content(object), "the same content");
  require_equal(object.name(), (*again)->name(), "the same name");
  check_wrong_positions(object, text);
  if (walk.deepest > kDeepest - 2) return;
  const std::string event = R"({"type":"MODIFIED","object":)" + std::string(text) + "}";
  const auto decoded = kube::decode_event(event, fields, options);
  require(decoded.ok() && decoded->object, "an object is one in an event too");
  require_equal(decoded->object->json(), json, "an event's object is the object");
}

// The fields that both kept read the same.
void check_projection(const Object& whole, const Object& part,
                      const std::vector<std::string>& pointers) {
  for (const std::string& pointer : pointers) {
    if (pointer.find("/-") != std::string::npos) continue;  // "-" keeps a part of each element
    const Position in_whole = whole.find(pointer);
    if (in_whole == Object::kAbsent) continue;
    const Position in_part = part.find(pointer);
    if (whole.kind(in_whole) == Object::Kind::string) {
      require_equal(whole.text(in_whole), part.text(in_part), "a projection keeps its fields");
    }
  }
  require_equal(whole.name(), part.name(), "a projection keeps the name");
  require_equal(whole.resource_version(), part.resource_version(), "and the resourceVersion");
}

}  // namespace

void object_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  const std::vector<std::string> pointers = words(input.line());
  const Exact text(input.rest());
  const auto declared = FieldSet::of(pointers);
  const FieldSet fields = declared.ok() ? *declared : FieldSet();
  require(FieldSet::all().covers(fields) && fields.covers(FieldSet()), "sets cover each other");
  Object::DecodeOptions options;
  if ((choices & 1U) != 0) options.kind = "Node", options.api_version = "v1";
  options.require_name = (choices & 2U) != 0;

  const auto part = kube::decode_object(text.view(), fields, options);
  const auto whole = kube::decode_object(text.view(), FieldSet::all(), options);
  require(part.ok() == whole.ok(), "what is kept does not decide what is well-formed");
  (void)kube::decode_event(text.view(), fields, options);
  if (!part.ok()) {
    require(!part.status().message().empty(), "a failure says what is wrong");
    return;
  }
  std::string padded(text.view());
  padded.append(kube::kJsonPadding, '}');
  const auto same = kube::decode_object(std::string_view(padded).substr(0, text.view().size()),
                                        fields, options, true);
  require(same.ok(), "padding is not looked at");
  require_equal((*same)->json(), (*part)->json(), "padding changes nothing");
  check_object(**part, text.view(), fields, options);
  check_object(**whole, text.view(), FieldSet::all(), options);
  if (declared.ok()) check_projection(**whole, **part, pointers);
}

}  // namespace ccm::fuzz
