// XML of AWS's answers, read by expat into a flat tree: two allocations for a whole document, 20
// bytes for an element besides its text. Attributes, comments and blanks between elements are
// dropped; a DOCTYPE is refused, so that no entity is ever expanded.
#pragma once

#include "api_name.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

// What a document may cost, whoever wrote it.
struct XmlLimits {
  size_t bytes = 32u << 20;
  size_t elements = 500'000;
  size_t depth = 32;
  size_t names = 4'096;  // different ones
};

class XmlDocument;

// One element, or "there is none" when it was looked for in vain: then its text is empty and it has
// no children, so that absent and empty read alike (the API leaves out what it has no value for).
// BORROWS from its document.
class XmlElement {
 public:
  class Iterator;
  class Range;

  XmlElement() = default;

  [[nodiscard]] explicit operator bool() const { return document_ != nullptr; }
  [[nodiscard]] std::string_view name() const;
  // Its own text, without surrounding blanks.
  [[nodiscard]] std::string_view text() const;

  // The first child of that name.
  [[nodiscard]] XmlElement child(ApiName name) const;
  // The child's text, as a text of its own; "" when there is no such child.
  [[nodiscard]] std::string text(ApiName name) const;
  // Nothing when the child is absent or no whole number.
  [[nodiscard]] std::optional<int64_t> number(ApiName name) const;
  // Whether the child says "true".
  [[nodiscard]] bool flag(ApiName name) const;
  // The elements of the list `name`: <name><item>..</item></name> of EC2, <name><member>..
  // of the query form. Empty when there is no such child.
  [[nodiscard]] Range list(ApiName name) const;
  // All children.
  [[nodiscard]] Range children() const;

 private:
  friend XmlDocument;
  XmlElement(const XmlDocument* document, uint32_t index) : document_(document), index_(index) {}

  const XmlDocument* document_ = nullptr;
  uint32_t index_ = 0;
};

// A document, which owns all texts. Moving it keeps no element valid.
class XmlDocument {
 public:
  // Elements that are called like one of `skipped` are left out with all that is in them, and count
  // for no limit but depth. Failure: data_loss, "is not well formed: mismatched tag";
  // resource_exhausted beyond the limits.
  static Result<XmlDocument> parse(std::string_view text,
                                   const std::vector<std::string_view>& skipped = {},
                                   const XmlLimits& limits = {});

  // There always is one.
  [[nodiscard]] XmlElement root() const { return {this, 0}; }

 private:
  friend XmlElement;
  friend class XmlReader;
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    uint32_t name = 0;        // of names_
    uint32_t text_begin = 0;  // of texts_
    uint32_t text_length = 0;
    uint32_t first_child = kNone;
    uint32_t next = kNone;  // sibling
  };

  std::vector<Node> nodes_;
  std::vector<std::string> names_;
  std::string texts_;
};

// For range-based loops over XmlElement::children() and list().
class XmlElement::Iterator {
 public:
  Iterator(const XmlDocument* document, uint32_t index) : document_(document), index_(index) {}
  XmlElement operator*() const { return {document_, index_}; }
  Iterator& operator++();
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const XmlDocument* document_;
  uint32_t index_;
};

class XmlElement::Range {
 public:
  Range(const XmlDocument* document, uint32_t first) : document_(document), first_(first) {}
  [[nodiscard]] Iterator begin() const { return {document_, first_}; }
  [[nodiscard]] Iterator end() const { return {document_, XmlDocument::kNone}; }
  [[nodiscard]] bool empty() const { return first_ == XmlDocument::kNone; }

 private:
  const XmlDocument* document_;
  uint32_t first_;
};

}  // namespace ccm::aws
