#include "yaml.hpp"

#include <strings.h>
#include <yaml.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

namespace ccm {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 32;

Status at_line(size_t line, const std::string& what) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "line " + std::to_string(line + 1) + ": " + what)
      .with_reason("InvalidConfiguration");
}

bool is_any_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return ::strcasecmp(text.c_str(), word) == 0; });
}

struct YamlParser {
  explicit YamlParser(std::string_view text) : made(yaml_parser_initialize(&parser) == 1) {
    if (!made) return;
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;
  ~YamlParser() {
    if (made) yaml_parser_delete(&parser);
  }
  yaml_parser_t parser{};
  bool made;
};

struct YamlDocument {
  explicit YamlDocument(yaml_parser_t& parser) : made(yaml_parser_load(&parser, &document) == 1) {}
  YamlDocument(const YamlDocument&) = delete;
  YamlDocument& operator=(const YamlDocument&) = delete;
  ~YamlDocument() {
    if (made) yaml_document_delete(&document);
  }
  yaml_document_t document{};
  bool made;
};

json scalar_value(const yaml_node_t& node) {
  const auto& scalar = node.data.scalar;
  std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  if (scalar.style != YAML_PLAIN_SCALAR_STYLE) return text;
  if (is_any_of(text, {"", "~", "null"})) return nullptr;
  if (is_any_of(text, {"true", "yes", "on"})) return true;
  if (is_any_of(text, {"false", "no", "off"})) return false;
  return text;
}

class YamlReader {
 public:
  // Aliases make a short text a large tree, or one without an end: hence the limit.
  YamlReader(yaml_document_t& document, std::size_t most_values)
      : document_(document), values_left_(most_values) {}

  Result<json> value(int id, int level) {
    const yaml_node_t* node = yaml_document_get_node(&document_, id);
    if (node == nullptr) return json();
    if (values_left_ == 0 || level > kMostLevels) {
      return at_line(node->start_mark.line, "too many values or levels");
    }
    --values_left_;
    if (node->type == YAML_SEQUENCE_NODE) return sequence(*node, level);
    if (node->type == YAML_MAPPING_NODE) return mapping(*node, level);
    return scalar_value(*node);
  }

 private:
  Result<json> sequence(const yaml_node_t& node, int level) {
    json list = json::array();
    const auto& items = node.data.sequence.items;
    for (const yaml_node_item_t* item = items.start; item < items.top; ++item) {
      auto one = value(*item, level + 1);
      if (!one.ok()) return one;
      list.push_back(*std::move(one));
    }
    return list;
  }

  Result<json> mapping(const yaml_node_t& node, int level) {
    json object = json::object();
    const yaml_node_pair_t* merge = nullptr;
    const auto& pairs = node.data.mapping.pairs;
    for (const yaml_node_pair_t* pair = pairs.start; pair < pairs.top; ++pair) {
      const yaml_node_t* key = yaml_document_get_node(&document_, pair->key);
      if (key == nullptr || key->type != YAML_SCALAR_NODE) {
        return at_line(node.start_mark.line, "a key is no text");
      }
      std::string name(reinterpret_cast<const char*>(key->data.scalar.value),
                       key->data.scalar.length);
      if (name == "<<" && key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        if (merge != nullptr) return at_line(key->start_mark.line, "<< is given twice");
        merge = pair;
        continue;
      }
      if (object.contains(name)) return at_line(key->start_mark.line, name + " is given twice");
      auto one = value(pair->value, level + 1);
      if (!one.ok()) return one;
      object[std::move(name)] = *std::move(one);
    }
    if (merge != nullptr) {
      Status merged = merge_into(object, merge->value, level);
      if (!merged.ok()) return merged;
    }
    return object;
  }

  // A map or a list of them. Members that are there stay, and the first of several maps counts.
  Status merge_into(json& object, int id, int level) {
    auto from = value(id, level + 1);
    if (!from.ok()) return from.status();
    json maps = from->is_array() ? *std::move(from) : json::array({*std::move(from)});
    for (json& each : maps) {
      if (!each.is_object()) {
        return at_line(yaml_document_get_node(&document_, id)->start_mark.line,
                       "<< merges maps only");
      }
      for (auto& [name, member] : each.items()) object.emplace(name, std::move(member));
    }
    return {};
  }

  yaml_document_t& document_;
  std::size_t values_left_;
};

}  // namespace

Result<json> parse_yaml(std::string_view text, std::size_t most_values) {
  YamlParser parser(text);
  if (!parser.made) return Status(Code::internal, "no memory for a YAML parser");
  YamlDocument document(parser.parser);
  if (!document.made) {
    const char* problem = parser.parser.problem;
    return at_line(parser.parser.problem_mark.line, problem == nullptr ? "is no YAML" : problem);
  }
  if (yaml_document_get_root_node(&document.document) == nullptr) return json();
  auto tree = YamlReader(document.document, most_values).value(1, 0);
  if (!tree.ok()) return tree;
  YamlDocument next(parser.parser);
  if (next.made && yaml_document_get_root_node(&next.document) == nullptr) return tree;
  return at_line(next.made ? next.document.start_mark.line : parser.parser.problem_mark.line,
                 "text after the end of the document");
}

}  // namespace ccm
