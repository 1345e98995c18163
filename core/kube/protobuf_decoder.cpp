#include "kube/protobuf_decoder.hpp"

#include "base/text.hpp"
#include "kube/object_encoding.hpp"
#include "kube/protobuf_stream.hpp"

#include <ccm/base64.hpp>

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace ccm::kube::protobuf {

namespace {

std::string encoded(std::string_view name) {
  encoding::Writer writer;
  writer.string(name);
  return {writer.bytes().begin(), writer.bytes().end()};
}

const FieldSet::Node* unless_whole(const FieldSet::Node* filter) {
  return filter == nullptr || filter->whole ? nullptr : filter;
}

}  // namespace

const Message* message_of(std::string_view api_version, std::string_view kind) {
  for (const NamedMessage& known : kinds()) {
    if (known.kind == kind && known.api_version == api_version) return known.message;
  }
  return nullptr;
}

Projection::Projection(const Message& message, const FieldSet& fields)
    : fields_(std::make_unique<const FieldSet>(fields)) {
  // Only JSON could show a member that a newer server adds at the root.
  if (fields_->everything()) unknown_.emplace_back();
  root_ = make(message, unless_whole(&fields_->root()), "");
}

Projection::Node Projection::make(const Message& message, const FieldSet::Node* filter,
                                  const std::string& place) {
  Node node;
  node.whole = filter == nullptr;
  for (const Field& field : message.fields) {
    node.known |= uint64_t{1} << field.number;
    const FieldSet::Node* below = nullptr;
    if (filter != nullptr) {
      below = filter->child(field.name);
      if (below == nullptr) continue;
    }
    node.fields.push_back(keep(field, unless_whole(below), place + "/" + std::string(field.name)));
    node.places[field.number] = static_cast<uint8_t>(node.fields.size());
  }
  if (filter == nullptr) return node;
  for (const auto& [name, below] : filter->children) {
    const bool type = place.empty() && (name == "apiVersion" || name == "kind");
    const bool known = std::any_of(message.fields.begin(), message.fields.end(),
                                   [&](const Field& field) { return field.name == name; });
    if (!type && !known) unknown_.push_back(place + "/" + name);
  }
  return node;
}

// As the decoder of JSON takes a filter: one that leads into a list means the parts of each element
// (FieldSet::Node::each_element), one that leads into a scalar means the scalar.
Projection::Kept Projection::keep(const Field& field, const FieldSet::Node* filter,
                                  const std::string& place) {
  Kept kept;
  kept.field = &field;
  kept.key = encoded(field.name);
  kept.filter = filter;
  std::string below = place;
  if (field.shape == Shape::repeated) {
    kept.filter = filter == nullptr ? nullptr : filter->each_element();
    below += "/-";
  }
  if (field.message != nullptr) {
    kept.message = std::make_unique<Node>(make(*field.message, kept.filter, below));
  }
  return kept;
}

// The values of Kubernetes' protobuf messages as JSON shows them. Each write_ function writes one
// value; a message that is broken is no value: false. Bytes that are no UTF-8 become U+FFFD, as in
// Go's JSON.

namespace {

// A metav1.Time or MicroTime.
struct Timestamp {
  int64_t seconds = 0;       // since 1970
  int64_t microseconds = 0;  // 0..999999; 0 in a Time
  bool zero = false;         // Go's zero time, null in JSON
};

constexpr int64_t kYear0 = -62'167'219'200;
constexpr int64_t kYear1 = -62'135'596'800;  // Go's zero time
constexpr int64_t kYear10000 = 253'402'300'800;
constexpr int64_t kMicroseconds = 1'000'000;

// Digits with leading zeros, `end` exclusive.
void put_digits(char* end, std::size_t digits, uint64_t value) {
  for (std::size_t i = 0; i < digits; ++i, value /= 10) {
    *--end = static_cast<char>('0' + value % 10);
  }
}

// seconds = 1, nanos = 2. The zero time is an empty message. Nothing when the message is broken, or
// the year is none of RFC 3339's.
std::optional<Timestamp> read_timestamp(std::string_view message, bool micro) {
  int64_t seconds = 0;
  int32_t nanoseconds = 0;
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() > 2) continue;
    if (fields.type() != WireType::varint) return std::nullopt;
    if (fields.number() == 1) seconds = static_cast<int64_t>(fields.integer());
    if (fields.number() == 2) nanoseconds = static_cast<int32_t>(fields.integer());
  }
  if (fields.broken() || seconds < kYear0 || seconds >= kYear10000) return std::nullopt;
  Timestamp time;
  // Cut towards zero, then made positive, as Go does.
  time.microseconds = micro ? nanoseconds / 1000 : 0;
  time.seconds = seconds + time.microseconds / kMicroseconds;
  time.microseconds %= kMicroseconds;
  if (time.microseconds < 0) {
    time.microseconds += kMicroseconds;
    --time.seconds;
  }
  if (time.seconds < kYear0 || time.seconds >= kYear10000) return std::nullopt;
  time.zero = message.empty() || (time.seconds == kYear1 && time.microseconds == 0);
  return time;
}

void write_text(encoding::Writer& writer, std::string_view text) {
  if (is_utf8(text)) return writer.string(text);
  writer.string(utf8_text(text));
}

void write_integer(encoding::Writer& writer, int64_t value) {
  std::array<char, 24> text{};
  const char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  writer.number({text.data(), static_cast<std::size_t>(end - text.data())});
}

void write_timestamp(encoding::Writer& writer, const Timestamp& time, bool micro) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::seconds;
  using std::chrono::sys_days;
  using std::chrono::sys_seconds;
  using std::chrono::year_month_day;
  if (time.zero) return writer.null();
  const sys_seconds at{seconds(time.seconds)};
  const sys_days midnight = floor<days>(at);
  const year_month_day date{midnight};
  const auto second = static_cast<uint64_t>((at - midnight).count());
  std::array<char, 27> text{"0000-00-00T00:00:00.000000"};
  char* const front = text.data();
  put_digits(front + 4, 4, static_cast<uint64_t>(static_cast<int>(date.year())));
  put_digits(front + 7, 2, static_cast<unsigned>(date.month()));
  put_digits(front + 10, 2, static_cast<unsigned>(date.day()));
  put_digits(front + 13, 2, second / 3600);
  put_digits(front + 16, 2, second / 60 % 60);
  put_digits(front + 19, 2, second % 60);
  std::size_t length = 19;
  if (micro) {
    put_digits(front + 26, 6, static_cast<uint64_t>(time.microseconds));
    length = 26;
  }
  text[length] = 'Z';
  writer.string({front, length + 1});
}

// The texts of the fields 1 to `Last` in the places of their numbers; nothing when one is no text
// or the message is broken.
template <uint32_t Last>
std::optional<std::array<std::string_view, Last + 1>> texts_of(std::string_view message) {
  std::array<std::string_view, Last + 1> texts;
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() > Last) continue;
    if (fields.type() != WireType::bytes) return std::nullopt;
    texts[fields.number()] = fields.bytes();
  }
  if (fields.broken()) return std::nullopt;
  return texts;
}

// string = 1. A quantity that was never set is "0".
bool write_quantity(encoding::Writer& writer, std::string_view message) {
  const auto texts = texts_of<1>(message);
  if (!texts) return false;
  write_text(writer, (*texts)[1].empty() ? "0" : (*texts)[1]);
  return true;
}

// type = 1 (0: integer, 1: string), intVal = 2, strVal = 3.
bool write_int_or_string(encoding::Writer& writer, std::string_view message) {
  bool string = false;
  int32_t integer = 0;
  std::string_view text;
  WireReader fields(message);
  while (fields.next()) {
    const bool bytes = fields.number() == 3;
    if (fields.number() > 3) continue;
    if (fields.type() != (bytes ? WireType::bytes : WireType::varint)) return false;
    if (fields.number() == 1) string = fields.integer() != 0;
    if (fields.number() == 2) integer = static_cast<int32_t>(fields.integer());
    if (bytes) text = fields.bytes();
  }
  if (string) {
    write_text(writer, text);
  } else {
    write_integer(writer, integer);
  }
  return !fields.broken();
}

using Node = Projection::Node;
using Kept = Projection::Kept;

// Memory for one large object is not kept.
constexpr std::size_t kKeptBytes = 64u << 10;

// One field's occurrences in a message. Those of a list or a map follow one another, as a rule.
struct Slot {
  uint64_t integer = 0;    // the last one's
  std::string_view bytes;  // the last one's
  std::string_view from;   // in the message: the first one, and all that follows it
  std::size_t count = 0;
};

struct Entry {
  std::string_view key;
  Slot value;
};

bool is_varint(Kind kind) {
  return kind == Kind::boolean || kind == Kind::int32 || kind == Kind::int64;
}

// A key that is no UTF-8 is kept under the one that write_text() makes of it.
bool keeps(const FieldSet::Node& filter, std::string_view key) {
  return is_utf8(key) ? filter.child(key) != nullptr : filter.child(utf8_text(key)) != nullptr;
}

// key = 1, value = 2.
std::optional<Entry> read_entry(std::string_view message, Kind kind) {
  Entry entry;
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() > 2) continue;
    const bool varint = fields.number() == 2 && is_varint(kind);
    if (fields.type() != (varint ? WireType::varint : WireType::bytes)) return std::nullopt;
    if (fields.number() == 1) entry.key = fields.bytes();
    if (fields.number() == 2) entry.value = {fields.integer(), fields.bytes(), {}, 1};
  }
  if (fields.broken()) return std::nullopt;
  return entry;
}

struct MessageDecoder {
  encoding::Writer writer;
  simdjson::dom::parser parser;
  std::vector<Slot> slots;  // for the message under work and those around it
  std::string unreadable;   // why only JSON can show the object whole; empty: it is malformed

  // Members come in the order of Go's struct, which is not that of the numbers, so a first pass
  // looks up where each kept field is.
  bool members(std::string_view message, const Node& node, unsigned depth) {
    const std::size_t first = slots.size();
    slots.resize(first + node.fields.size());
    const bool read = find_fields(message, node, first);
    for (std::size_t i = 0; read && i < node.fields.size(); ++i) {
      const Slot slot = slots[first + i];  // a copy: the messages below it use the list, too
      if (!member(node.fields[i], slot, depth)) return false;
    }
    slots.resize(first);
    return read;
  }

  // Fills the slots from `first` on.
  bool find_fields(std::string_view message, const Node& node, std::size_t first) {
    WireReader reader(message);
    for (std::string_view here = message; reader.next(); here = reader.rest()) {
      const uint32_t number = reader.number();
      const std::size_t place = number <= kMaxNumber ? node.places[number] : 0;
      if (place == 0) {
        const bool known = number <= kMaxNumber && (node.known >> number & 1) != 0;
        if (node.whole && !known) return needs_json("has a field that is not known", number);
        continue;
      }
      const Field& field = *node.fields[place - 1].field;
      const bool varint = is_varint(field.kind) && field.shape != Shape::map;
      if (reader.type() != (varint ? WireType::varint : WireType::bytes)) return false;
      Slot& slot = slots[first + place - 1];
      if (slot.count++ == 0) slot.from = here;
      slot.integer = reader.integer();
      slot.bytes = reader.bytes();
      const bool single = field.shape == Shape::single || field.shape == Shape::pointer;
      // To be merged, by the rules of protobuf. Kubernetes never sends that.
      if (single && slot.count > 1) return needs_json("has a field twice", number);
    }
    return !reader.broken();
  }

  bool needs_json(std::string_view why, uint32_t number) {
    unreadable = "the object " + std::string(why) + ", number " + std::to_string(number);
    return false;
  }

  bool message(std::string_view text, const Node& node, unsigned depth) {
    const std::size_t start = writer.begin(true);
    if (!members(text, node, depth + 1)) return false;
    writer.end(start);
    return true;
  }

  bool member(const Kept& kept, const Slot& slot, unsigned depth) {
    const Field& field = *kept.field;
    const bool nil = slot.count == 0 && (field.shape != Shape::single || field.kind == Kind::bytes);
    if (nil && field.omit != Omit::never) return true;
    if (!nil && field.shape == Shape::single && left_out(field, slot)) return true;
    writer.encoded(kept.key);
    if (nil) return writer.null(), true;
    if (field.shape == Shape::map) return map(kept, slot, depth);
    if (field.shape == Shape::repeated) return list(kept, slot, depth);
    return value(kept, slot, depth);
  }

  // Whether Go's JSON leaves out this value, which is no pointer.
  static bool left_out(const Field& field, const Slot& slot) {
    if (field.omit == Omit::never) return false;
    switch (field.kind) {
      case Kind::string:
      case Kind::bytes:
        return slot.bytes.empty();
      case Kind::boolean:
      case Kind::int64:
        return slot.integer == 0;
      case Kind::int32:
        return static_cast<int32_t>(slot.integer) == 0;
      case Kind::time: {
        if (field.omit != Omit::zero) return false;
        const auto time = read_timestamp(slot.bytes, false);
        return time && time->zero;
      }
      default:
        return false;  // omitempty leaves out no struct
    }
  }

  bool value(const Kept& kept, const Slot& slot, unsigned depth) {
    switch (kept.field->kind) {
      case Kind::string:
        return write_text(writer, slot.bytes), true;
      case Kind::bytes:
        return writer.string(base64_encode(slot.bytes)), true;
      case Kind::boolean:
        return writer.boolean(slot.integer != 0), true;
      case Kind::int32:
        return write_integer(writer, static_cast<int32_t>(slot.integer)), true;
      case Kind::int64:
        return write_integer(writer, static_cast<int64_t>(slot.integer)), true;
      case Kind::time:
      case Kind::micro_time: {
        const bool micro = kept.field->kind == Kind::micro_time;
        const auto time = read_timestamp(slot.bytes, micro);
        if (time) write_timestamp(writer, *time, micro);
        return time.has_value();
      }
      case Kind::quantity:
        return write_quantity(writer, slot.bytes);
      case Kind::int_or_string:
        return write_int_or_string(writer, slot.bytes);
      case Kind::json:
        return json(kept, slot.bytes, depth);
      case Kind::message:
        return message(slot.bytes, *kept.message, depth);
    }
    return false;
  }

  bool list(const Kept& kept, const Slot& slot, unsigned depth) {
    const std::size_t start = writer.begin(false);
    WireReader reader(slot.from);
    for (std::size_t left = slot.count; left > 0 && reader.next();) {
      if (reader.number() != kept.field->number) continue;
      if (!value(kept, {reader.integer(), reader.bytes(), {}, 1}, depth + 1)) return false;
      --left;
    }
    writer.end(start);
    return true;
  }

  // JSON has the keys in order. Servers send them so, too.
  bool map(const Kept& kept, const Slot& slot, unsigned depth) {
    const std::size_t start = writer.begin(true);
    WireReader reader(slot.from);
    std::string_view before;
    bool first = true;
    for (std::size_t left = slot.count; left > 0 && reader.next();) {
      if (reader.number() != kept.field->number) continue;
      const auto entry = read_entry(reader.bytes(), kept.field->kind);
      if (!entry) return false;
      if (!std::exchange(first, false) && entry->key <= before) {
        writer.truncate(start);
        return disordered_map(kept, slot, depth);
      }
      before = entry->key;
      if (!map_entry(kept, *entry, depth)) return false;
      --left;
    }
    writer.end(start);
    return true;
  }

  // The last of several entries with one key counts.
  bool disordered_map(const Kept& kept, const Slot& slot, unsigned depth) {
    std::vector<Entry> entries;
    WireReader reader(slot.from);
    while (entries.size() < slot.count && reader.next()) {
      if (reader.number() != kept.field->number) continue;
      const auto entry = read_entry(reader.bytes(), kept.field->kind);
      if (!entry) return false;
      entries.push_back(*entry);
    }
    std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return a.key < b.key; });
    const std::size_t start = writer.begin(true);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + 1 < entries.size() && entries[i].key == entries[i + 1].key) continue;
      if (!map_entry(kept, entries[i], depth)) return false;
    }
    writer.end(start);
    return true;
  }

  bool map_entry(const Kept& kept, const Entry& entry, unsigned depth) {
    if (kept.filter != nullptr && !keeps(*kept.filter, entry.key)) return true;
    write_text(writer, entry.key);
    return value(kept, entry.value, depth + 1);
  }

  // Raw = 1; null in JSON when it is empty.
  bool json(const Kept& kept, std::string_view message, unsigned depth) {
    const auto texts = texts_of<1>(message);
    if (!texts) return false;
    const std::string_view text = (*texts)[1];
    if (text.empty()) return writer.null(), true;
    const std::size_t allowed = encoding::kMaxDepth - depth;
    const std::size_t capacity = std::max<std::size_t>(text.size(), 16384);
    if (parser.capacity() < text.size() || parser.max_depth() != allowed) {
      if (parser.allocate(capacity, allowed) != simdjson::SUCCESS) return false;
    }
    simdjson::dom::element element;
    if (parser.parse(text.data(), text.size(), true).get(element) != simdjson::SUCCESS) {
      return false;
    }
    write_json_tree(writer, element, kept.filter);
    if (parser.capacity() > kKeptBytes) parser = simdjson::dom::parser();
    return true;
  }

  Status refusal() const {
    if (unreadable.empty()) return {Code::data_loss, "malformed protobuf object"};
    return Status(Code::unimplemented, ErrorClass::unsupported, unreadable)
        .with_reason(std::string(kNeedsJson));
  }
};

thread_local MessageDecoder t_message_decoder;

}  // namespace

Result<ObjectPtr> decode_object(std::string_view message, const Projection& projection,
                                const Object::DecodeOptions& options) {
  MessageDecoder& decoder = t_message_decoder;
  encoding::Writer& writer = decoder.writer;
  writer.clear();
  decoder.unreadable.clear();
  decoder.slots.clear();
  const std::size_t start = writer.begin(true);
  if (!options.kind.empty()) {
    writer.string("apiVersion");
    writer.string(options.api_version);
    writer.string("kind");
    writer.string(options.kind);
  }
  if (!decoder.members(message, projection.root(), 1)) return decoder.refusal();
  writer.end(start);
  ObjectPtr made = Object::make(writer.bytes());
  if (writer.capacity() > kKeptBytes) writer = {};
  if (options.require_name && made->name().empty()) {
    return Status(Code::data_loss, "malformed object: it has no metadata.name");
  }
  return made;
}

// type = 1, object = 2, a RawExtension with raw = 1.
Result<WatchEvent> decode_event(std::string_view message, const Projection& projection,
                                const Projection& bookmarks, const Object::DecodeOptions& options) {
  const Status malformed(Code::data_loss, "malformed protobuf event");
  const auto fields = texts_of<2>(message);
  const auto extension = fields ? texts_of<1>((*fields)[2]) : std::nullopt;
  if (!extension || (*fields)[1].empty()) return malformed;
  const std::string_view text = (*extension)[1];
  WatchEvent event;
  event.type = watch_event_type((*fields)[1]);
  if (event.type == WatchEvent::Type::other) return event;
  if (event.type == WatchEvent::Type::error) {
    event.error_json = status_json(text).value_or("");
    return event;
  }
  const std::optional<Envelope> envelope = read_envelope(text);
  if (!envelope) return malformed;
  if (envelope->kind != options.kind || envelope->api_version != options.api_version) {
    return Status(Code::failed_precondition,
                  "the object's kind is not " + std::string(options.kind));
  }
  Object::DecodeOptions wanted = options;
  const bool bookmark = event.type == WatchEvent::Type::bookmark;
  if (bookmark) wanted.require_name = false;
  Result<ObjectPtr> decoded =
      decode_object(envelope->raw, bookmark ? bookmarks : projection, wanted);
  if (!decoded.ok()) return decoded.status();
  event.object = std::move(*decoded);
  return event;
}

// Around objects on the wire: envelopes, failures, the heads of lists.

namespace {

// Never destroyed. Fields that the table does not know are no loss here.
const Projection& status_fields() {
  static const auto& fields = *new Projection(
      status_message(), *FieldSet::of({"/status", "/message", "/reason", "/code",
                                       "/metadata/continue", "/details/name", "/details/kind",
                                       "/details/causes/-/reason", "/details/causes/-/message",
                                       "/details/causes/-/field", "/details/retryAfterSeconds"}));
  return fields;
}

const Projection& list_fields() {
  static const auto& fields = *new Projection(
      list_meta_message(), *FieldSet::of({"/resourceVersion", "/continue", "/remainingItemCount"}));
  return fields;
}

}  // namespace

// runtime.Unknown: typeMeta = 1 (apiVersion = 1, kind = 2), raw = 2, contentEncoding = 3,
// contentType = 4.
std::optional<Envelope> read_envelope(std::string_view text) {
  if (!text.starts_with(kMagic)) return std::nullopt;
  const auto fields = texts_of<4>(text.substr(kMagic.size()));
  const auto type = fields ? texts_of<2>((*fields)[1]) : std::nullopt;
  if (!type || !(*fields)[3].empty() || !(*fields)[4].empty()) return std::nullopt;
  return Envelope{(*type)[1], (*type)[2], (*fields)[2]};
}

std::optional<std::string> status_json(std::string_view text) {
  const std::optional<Envelope> envelope = read_envelope(text);
  if (!envelope || envelope->kind != "Status" || envelope->api_version != "v1") {
    return std::nullopt;
  }
  Object::DecodeOptions options{"Status", "v1", false};
  const auto status = decode_object(envelope->raw, status_fields(), options);
  if (!status.ok()) return std::nullopt;
  return (*status)->json();
}

std::optional<std::string> list_meta_json(std::string_view message) {
  Object::DecodeOptions options{"", "", false};
  const auto meta = decode_object(message, list_fields(), options);
  if (!meta.ok()) return std::nullopt;
  return (*meta)->json();
}

}  // namespace ccm::kube::protobuf
