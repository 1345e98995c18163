// The fields of a type's protobuf form that a FieldSet keeps. Made once for an informer, read for
// each object. Immutable, any thread.
#pragma once

#include "kube/object.hpp"
#include "kube/protobuf_table.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube::protobuf {

// The type of that kind, null when the table has none.
const Message* message_of(std::string_view api_version, std::string_view kind);

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
    std::unique_ptr<Node> message;  // of Kind::message
    // In maps and JSON texts: the kept entries; null = all. Borrowed from the FieldSet.
    const FieldSet::Node* filter = nullptr;
  };

  Projection(const Message& message, const FieldSet& fields);
  Projection(Projection&&) = default;
  Projection& operator=(Projection&&) = default;

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

}  // namespace ccm::kube::protobuf
