// Decodes API objects and watch events from Kubernetes' protobuf form into kube::Object, with the
// content and in the order that the same object has when it comes as JSON. Fields that are not kept
// are skipped by their length. Any thread: each has buffers of its own, which are used again by the
// next call.
#pragma once

#include "kube/object.hpp"
#include "kube/object_decoder.hpp"
#include "kube/protobuf_table.hpp"

#include <ccm/status.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube::protobuf {

// The type of that kind, null when the table has none.
const Message* message_of(std::string_view api_version, std::string_view kind);

// The fields of a type's protobuf form that a FieldSet keeps. Made once for an informer, read for
// each object. Immutable, any thread.
class Projection {
 public:
  // One field of a message, below the root.
  struct Kept;
  struct Node {
    // All of the message is kept, so a number that the table does not know is a loss.
    bool whole = false;
    std::vector<Kept> fields;  // in the order of JSON
    // By number: the place in `fields` + 1; 0 = not kept, or not known.
    std::array<uint8_t, kMaxNumber + 1> places{};
    uint64_t known = 0;  // bit n: the table knows number n
  };
  struct Kept {
    const Field* field = nullptr;
    std::string key;                // its name as encoding::Writer writes it
    std::unique_ptr<Node> message;  // for Kind::message
    // In maps and JSON texts: the kept entries; null = all. Borrowed from the FieldSet.
    const FieldSet::Node* filter = nullptr;
  };

  Projection(const Message& message, const FieldSet& fields);

  [[nodiscard]] const Node& root() const { return root_; }
  // The first declared pointer that names no field of the table, so that only JSON can tell whether
  // it exists; "" = everything; nothing when all of them do.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  Node make(const Message& message, const FieldSet::Node* filter, const std::string& place);
  Kept keep(const Field& field, const FieldSet::Node* filter, const std::string& place);

  std::unique_ptr<const FieldSet> fields_;  // its nodes stay where they are
  std::vector<std::string> unknown_;
  Node root_;
};

// Status::reason() of an object that only JSON can show whole: it has a field that the table does
// not know.
inline constexpr std::string_view kNeedsJson = "NeedsJSON";

// The envelope of an object: the magic number and a runtime.Unknown.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;  // the object's message
};
inline constexpr std::string_view kMagic{"k8s\0", 4};
// Nothing when it is broken, or its content is encoded in another way.
std::optional<Envelope> read_envelope(std::string_view text);

// The object of a message without an envelope. data_loss: it is malformed or has no metadata.name
// when `require_name`; unimplemented kNeedsJson: a field is unknown in a part that is kept whole.
Result<ObjectPtr> decode_object(std::string_view message, const Projection& projection,
                                const Object::DecodeOptions& options);
// One event of a watch (API-24): a meta/v1 WatchEvent. An object of another kind or version is
// failed_precondition.
Result<WatchEvent> decode_event(std::string_view message, const Projection& projection,
                                const Projection& bookmarks, const Object::DecodeOptions& options);

// The Status in `text`, an envelope, as JSON; nothing when it is none.
std::optional<std::string> status_json(std::string_view text);
// The head of a list as JSON: a meta/v1 ListMeta; nothing when it is broken.
std::optional<std::string> list_meta_json(std::string_view message);

}  // namespace ccm::kube::protobuf
