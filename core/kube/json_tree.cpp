#include "kube/json_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace ccm::kube {
namespace {

namespace dom = simdjson::dom;

template <typename Number>
void write_number(encoding::Writer& writer, Number value) {
  // The shortest form of it, "-0", would be read as an integer, which has no such zero.
  if (std::is_same_v<Number, double> && value == 0 && std::signbit(double(value))) {
    return writer.number("-0.0");
  }
  std::array<char, 32> text{};
  char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  // Without a fraction it would be read as an integer, and those end at 64 bits.
  if (std::is_same_v<Number, double> && std::abs(double(value)) >= 0x1p63 &&
      std::none_of(text.data(), end, [](char c) { return c == '.' || c == 'e'; })) {
    *end++ = '.';
    *end++ = '0';
  }
  writer.number({text.data(), static_cast<std::size_t>(end - text.data())});
}

void write_members(encoding::Writer& writer, const dom::object& from,
                   const FieldSet::Node* filter) {
  for (const auto [key, member] : from) {
    const FieldSet::Node* below = nullptr;
    if (filter != nullptr) {
      below = filter->child(key);
      if (below == nullptr) continue;
      if (below->whole) below = nullptr;
    }
    writer.string(key);
    write_json_tree(writer, member, below);
  }
}

}  // namespace

void write_json_tree(encoding::Writer& writer, const dom::element& from,
                     const FieldSet::Node* filter) {
  switch (from.type()) {
    case dom::element_type::OBJECT: {
      const std::size_t start = writer.begin(true);
      write_members(writer, sure(from.get_object()), filter);
      writer.end(start);
      return;
    }
    case dom::element_type::ARRAY: {
      const std::size_t start = writer.begin(false);
      const dom::array elements = sure(from.get_array());
      const FieldSet::Node* below = filter == nullptr ? nullptr : filter->each_element();
      for (const dom::element element : elements) write_json_tree(writer, element, below);
      writer.end(start);
      return;
    }
    case dom::element_type::STRING:
      return writer.string(sure(from.get_string()));
    case dom::element_type::INT64:
      return write_number(writer, sure(from.get_int64()));
    case dom::element_type::UINT64:
      return write_number(writer, sure(from.get_uint64()));
    case dom::element_type::DOUBLE:
      return write_number(writer, sure(from.get_double()));
    case dom::element_type::BOOL:
      return writer.boolean(sure(from.get_bool()));
    case dom::element_type::NULL_VALUE:
      return writer.null();
  }
}

}  // namespace ccm::kube
