#include "xml.hpp"

#include <ccm/trim.hpp>

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <unordered_map>
#include <utility>

namespace ccm::aws {

namespace {
constexpr size_t kPiece = 64 << 10;
}  // namespace

// expat's callbacks, which build the tree. expat is C: nothing may be thrown through it.
class XmlReader {
 public:
  XmlReader(const std::vector<std::string_view>& skipped, const XmlLimits& limits)
      : skipped_(skipped), limits_(limits), parser_(XML_ParserCreate("UTF-8"), &XML_ParserFree) {}

  Result<XmlDocument> read(std::string_view text) {
    if (!parser_) return Status(Code::resource_exhausted, "no memory for a parser");
    if (text.size() > limits_.bytes) return beyond("bytes", limits_.bytes);
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &XmlReader::on_begin, &XmlReader::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &XmlReader::on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &XmlReader::on_doctype);
    const auto outcome = parse(text);
    if (!fault_.ok()) return fault_;
    if (outcome != XML_STATUS_OK) return expat_fault();
    document_.texts_.shrink_to_fit();
    document_.nodes_.shrink_to_fit();
    return std::move(document_);
  }

 private:
  // In pieces, since expat copies each of them.
  XML_Status parse(std::string_view text) {
    for (;;) {
      const std::string_view piece = text.substr(0, kPiece);
      text.remove_prefix(piece.size());
      const auto outcome = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()),
                                     text.empty() ? XML_TRUE : XML_FALSE);
      if (outcome != XML_STATUS_OK || text.empty()) return outcome;
    }
  }

  static XmlReader& self(void* user) { return *static_cast<XmlReader*>(user); }
  static void on_begin(void* user, const XML_Char* name, const XML_Char** /*attributes*/) noexcept {
    self(user).guarded([&](XmlReader& reader) { return reader.begin(name); });
  }
  static void on_end(void* user, const XML_Char* /*name*/) noexcept {
    self(user).guarded([](XmlReader& reader) { return reader.end(); });
  }
  static void on_text(void* user, const XML_Char* text, int length) noexcept {
    self(user).guarded([&](XmlReader& reader) {
      return reader.append(std::string_view(text, static_cast<size_t>(length)));
    });
  }
  static void on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*,
                         int) noexcept {
    self(user).guarded(
        [](XmlReader&) { return Status(Code::data_loss, "has a document type declaration"); });
  }

  // A fault ends the parsing; what expat still calls does nothing.
  template <typename Work>
  void guarded(Work work) noexcept {
    if (!fault_.ok()) return;
    try {
      fault_ = work(*this);
    } catch (...) {
      fault_ = Status(Code::resource_exhausted, "no memory for its elements");
    }
    if (!fault_.ok()) XML_StopParser(parser_.get(), XML_FALSE);
  }

  Status begin(std::string_view name) {
    if (++depth_ > limits_.depth) return beyond("levels", limits_.depth);
    const bool skip =
        skip_below_ != 0 || std::find(skipped_.begin(), skipped_.end(), name) != skipped_.end();
    if (skip) {
      if (skip_below_ == 0) skip_below_ = depth_;
      return {};
    }
    auto& nodes = document_.nodes_;
    if (nodes.size() >= limits_.elements) return beyond("elements", limits_.elements);
    const auto number = number_of(name);
    if (!number) return beyond("different names", limits_.names);
    const auto index = static_cast<uint32_t>(nodes.size());
    XmlDocument::Node& node = nodes.emplace_back();
    node.name = *number;
    node.text_begin = static_cast<uint32_t>(document_.texts_.size());
    if (!open_.empty()) attach(open_.back(), index);
    open_.push_back({index, XmlDocument::kNone});
    return {};
  }

  Status end() {
    const bool skipped = skip_below_ != 0;
    if (skip_below_ == depth_) skip_below_ = 0;
    --depth_;
    if (skipped) return {};
    keep_text(document_.nodes_[open_.back().index]);
    open_.pop_back();
    return {};
  }

  // Text counts only in elements without children: between children there are blanks.
  Status append(std::string_view text) {
    if (skip_below_ != 0 || open_.empty() || open_.back().last_child != XmlDocument::kNone) {
      return {};
    }
    document_.texts_ += text;
    return {};
  }

  void keep_text(XmlDocument::Node& node) {
    std::string& texts = document_.texts_;
    if (node.first_child != XmlDocument::kNone) {
      node.text_length = 0;
      return;
    }
    const std::string_view text = trim(std::string_view(texts).substr(node.text_begin));
    node.text_begin = static_cast<uint32_t>(text.empty() ? 0 : text.data() - texts.data());
    node.text_length = static_cast<uint32_t>(text.size());
  }

  struct Open {
    uint32_t index;
    uint32_t last_child;
  };
  void attach(Open& parent, uint32_t child) {
    auto& nodes = document_.nodes_;
    if (parent.last_child == XmlDocument::kNone) {
      nodes[parent.index].first_child = child;
    } else {
      nodes[parent.last_child].next = child;
    }
    parent.last_child = child;
  }

  std::optional<uint32_t> number_of(std::string_view name) {
    const auto known = numbers_.find(std::string(name));
    if (known != numbers_.end()) return known->second;
    auto& names = document_.names_;
    if (names.size() >= limits_.names) return std::nullopt;
    const auto number = static_cast<uint32_t>(names.size());
    numbers_.emplace(names.emplace_back(name), number);
    return number;
  }

  static Status beyond(const char* what, size_t limit) {
    return Status(Code::resource_exhausted, "has more than " + std::to_string(limit) + " " + what);
  }
  // Without the line, which is the first one of most answers, and which expat 2.9 has under another
  // name than those before.
  [[nodiscard]] Status expat_fault() const {
    const char* why = XML_ErrorString(XML_GetErrorCode(parser_.get()));
    return Status(Code::data_loss,
                  std::string("is not well formed: ") + (why != nullptr ? why : "?"));
  }

  const std::vector<std::string_view>& skipped_;
  const XmlLimits& limits_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  XmlDocument document_;
  std::unordered_map<std::string, uint32_t> numbers_;  // of names
  std::vector<Open> open_;                             // from the root to where the text is
  size_t depth_ = 0;
  size_t skip_below_ = 0;  // the depth of an element that is left out; 0 = outside of one
  Status fault_;
};

Result<XmlDocument> XmlDocument::parse(std::string_view text,
                                       const std::vector<std::string_view>& skipped,
                                       const XmlLimits& limits) {
  return XmlReader(skipped, limits).read(text);
}

std::string_view XmlElement::name() const {
  if (document_ == nullptr) return {};
  return document_->names_[document_->nodes_[index_].name];
}

std::string_view XmlElement::text() const {
  if (document_ == nullptr) return {};
  const XmlDocument::Node& node = document_->nodes_[index_];
  return std::string_view(document_->texts_).substr(node.text_begin, node.text_length);
}

XmlElement XmlElement::child(ApiName name) const {
  for (const XmlElement child : children()) {
    if (child.name() == name.text()) return child;
  }
  return {};
}

std::string XmlElement::text(ApiName name) const { return std::string(child(name).text()); }

std::optional<int64_t> XmlElement::number(ApiName name) const {
  const std::string_view text = child(name).text();
  int64_t value = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool XmlElement::flag(ApiName name) const { return child(name).text() == "true"; }

XmlElement::Range XmlElement::list(ApiName name) const { return child(name).children(); }

XmlElement::Range XmlElement::children() const {
  if (document_ == nullptr) return {nullptr, XmlDocument::kNone};
  return {document_, document_->nodes_[index_].first_child};
}

XmlElement::Iterator& XmlElement::Iterator::operator++() {
  index_ = document_->nodes_[index_].next;
  return *this;
}

}  // namespace ccm::aws
