#include "kube/protobuf_projection.hpp"

#include "kube/object_encoding.hpp"

#include <algorithm>

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

}  // namespace ccm::kube::protobuf
