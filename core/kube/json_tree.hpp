// Writes what simdjson has parsed in the form that kube::Object keeps. Private to core/kube.
#pragma once

#include "kube/object.hpp"
#include "kube/object_encoding.hpp"

#include <simdjson.h>

namespace ccm::kube {

// For an element whose type was looked at.
template <typename T>
T sure(simdjson::simdjson_result<T> result) {
  T value{};
  const auto error = std::move(result).get(value);
  return error == simdjson::SUCCESS ? value : T{};
}

// `filter` null: everything below is kept.
void write_json_tree(encoding::Writer& writer, const simdjson::dom::element& from,
                     const FieldSet::Node* filter);

}  // namespace ccm::kube
