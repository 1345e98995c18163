#include "kube/yaml_fields.hpp"

#include "kube/file_text.hpp"
#include "kube/json_text.hpp"

#include <ccm/base64.hpp>

#include <cstddef>
#include <optional>
#include <set>

namespace ccm::kube {

namespace {

// Aliases make a short text a large tree, or one without an end.
constexpr std::size_t kMostMerged = 1'000;  // members for one map, those that lose included
constexpr int kMostLevels = 32;

bool is_merge_key(const YAML::Node& key) {
  // yaml-cpp marks quoted scalars with the tag "!".
  return key.IsScalar() && key.Scalar() == "<<" && key.Tag() != "!";
}

// Visits the members of a map and of those that it merges, until one is taken.
template <typename Take>
class Visit {
 public:
  explicit Visit(Take take) : take_(std::move(take)) {}

  // True: one was taken.
  bool map(const YAML::Node& node, int level) {
    if (level > kMostLevels) throw YamlMergeFault(node.Mark(), "merge keys nest too deep");
    std::vector<YAML::Node> merged;
    for (const auto& item : node) {
      if (level > 0 && ++merged_ > kMostMerged) {
        throw YamlMergeFault(node.Mark(), "too many merged members");
      }
      if (is_merge_key(item.first)) {
        merged.push_back(item.second);
      } else if (item.first.IsScalar() && take_(item.first.Scalar(), item.second)) {
        return true;
      }
    }
    for (const YAML::Node& each : merged) {
      if (merge(each, level)) return true;
    }
    return false;
  }

 private:
  bool merge(const YAML::Node& from, int level) {
    if (from.IsMap()) return map(from, level + 1);
    if (!from.IsSequence()) throw YamlMergeFault(from.Mark(), "<< merges maps only");
    for (const YAML::Node& each : from) {
      if (!each.IsMap()) throw YamlMergeFault(each.Mark(), "<< merges maps only");
      if (map(each, level + 1)) return true;
    }
    return false;
  }

  Take take_;
  std::size_t merged_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map) {
  std::vector<std::pair<std::string, YAML::Node>> all;
  if (!map.IsDefined() || !map.IsMap()) return all;
  std::set<std::string> known;
  Visit visit([&](const std::string& key, const YAML::Node& value) {
    if (known.insert(key).second) all.emplace_back(key, value);
    return false;
  });
  visit.map(map, 0);
  return all;
}

YAML::Node yaml_member(const YAML::Node& map, const std::string& key) {
  YAML::Node found(YAML::NodeType::Undefined);
  if (!map.IsDefined() || !map.IsMap()) return found;
  Visit visit([&](const std::string& name, const YAML::Node& value) {
    if (name != key) return false;
    found.reset(value);
    return true;
  });
  visit.map(map, 0);
  return found;
}

namespace {

// An anchor may be used many times, even within itself. The plugin gets the JSON in an environment
// variable, for which Linux has 128 KiB.
constexpr std::size_t kMaxJsonBytes = 64u << 10;
constexpr int kMaxJsonDepth = 64;

// False when it becomes too large or too deep.
bool append_json(std::string& out, const YAML::Node& node, int depth = 0) {
  if (out.size() > kMaxJsonBytes || depth > kMaxJsonDepth) return false;
  if (node.IsMap() || node.IsSequence()) {
    out += node.IsMap() ? '{' : '[';
    bool comma = false;
    for (const auto& [key, value] : yaml_members(node)) {
      if (std::exchange(comma, true)) out += ',';
      append_json_string(out, key);
      out += ':';
      if (!append_json(out, value, depth + 1)) return false;
    }
    for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i) {
      if (std::exchange(comma, true)) out += ',';
      if (!append_json(out, node[i], depth + 1)) return false;
    }
    out += node.IsMap() ? '}' : ']';
    return true;
  }
  if (!node.IsScalar()) {
    out += "null";
    return true;
  }
  const std::string& text = node.Scalar();
  const bool plain = node.Tag() == "?";
  const bool number =
      !text.empty() && text.size() < 16 && text != "-" &&
      text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos &&
      (text[0] != '0' || text == "0");
  if (plain && (text == "true" || text == "false" || number)) {
    out += text;
  } else {
    append_json_string(out, text);
  }
  return true;
}

}  // namespace

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

Status yaml_failure(const std::string& what) {
  std::string message = what + ": it cannot be read as YAML or JSON";
  try {
    throw;
  } catch (const YamlRefused& refused) {
    message = refused.message;
  } catch (const YamlMergeFault& fault) {
    message = what + ": line " + std::to_string(fault.mark.line + 1) + ": " + fault.msg;
  } catch (const YAML::Exception& error) {
    // Only the place: the parser's message may quote a secret.
    message = what + ": line " + std::to_string(error.mark.line + 1) + ", column " +
              std::to_string(error.mark.column + 1) + ": it is not well-formed YAML or JSON";
  } catch (const std::exception&) {
  }
  // Names in it may hold any bytes.
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return {Code::invalid_argument, std::move(message)};
}

std::string YamlFields::text_of(const YAML::Node& node, const std::string& key,
                                const std::string& where) const {
  const YAML::Node value = yaml_member(node, key);
  if (!value || value.IsNull()) return {};
  if (!value.IsScalar()) refuse(where + ": " + key + " must be a text");
  return value.Scalar();
}

bool YamlFields::flag_of(const YAML::Node& node, const std::string& key,
                         const std::string& where) const {
  const std::string text = text_of(node, key, where);
  if (text.empty() || text == "false") return false;
  if (text != "true") refuse(where + ": " + key + " must be true or false");
  return true;
}

std::vector<std::string> YamlFields::texts_of(const YAML::Node& node, const std::string& key,
                                              const std::string& where) const {
  std::vector<std::string> result;
  const YAML::Node list = yaml_member(node, key);
  if (!list || list.IsNull()) return result;
  if (!list.IsSequence()) refuse(where + ": " + key + " must be a list of texts");
  for (const auto& item : list) {
    if (!item.IsScalar()) refuse(where + ": " + key + " must be a list of texts");
    result.push_back(item.Scalar());
  }
  return result;
}

std::string YamlFields::path_of(const YAML::Node& node, const std::string& key,
                                const std::string& where) const {
  std::string path = text_of(node, key, where);
  if (path.empty() || path.front() == '/') return path;
  return directory_ + (directory_.ends_with('/') ? "" : "/") + path;
}

void YamlFields::file_or_data(const YAML::Node& node, const std::string& key,
                              const std::string& where, std::string& file,
                              std::string& data) const {
  file = path_of(node, key, where);
  const std::string encoded = text_of(node, key + "-data", where);
  if (!file.empty() && !encoded.empty()) {
    refuse(where + " has both " + key + " and " + key + "-data: remove one of them");
  }
  if (!encoded.empty()) {
    std::optional<std::string> decoded = base64_decode(encoded);
    if (!decoded) refuse(where + ": " + key + "-data is not base64");
    data = std::move(*decoded);
  }
  if (file.empty()) return;
  if (const Result<std::string> content = read_file(file); !content.ok()) {
    refuse(where + ": " + key + ": " + content.status().message());
  }
}

YamlFields::Entries YamlFields::entries(const YAML::Node& root, const std::string& list,
                                        const std::string& body) const {
  Entries result;
  const YAML::Node items = yaml_member(root, list);
  if (!items || items.IsNull()) return result;
  if (!items.IsSequence()) refuse(list + " must be a list");
  for (const auto& item : items) {
    if (!item.IsMap()) refuse(list + ": every entry needs name and " + body);
    const std::string name = text_of(item, "name", list);
    const YAML::Node content = yaml_member(item, body);
    const bool usable = content && (content.IsMap() || content.IsNull());
    if (content && !usable) refuse(list + " " + in_quotes(name) + ": " + body + " must be a map");
    // An absent body is an empty one.
    if (!result.emplace(name, usable && content.IsMap() ? content : YAML::Node(YAML::NodeType::Map))
             .second) {
      refuse("two entries of " + list + " are called " + in_quotes(name) + ": rename one");
    }
  }
  return result;
}

std::string YamlFields::json_of(const YAML::Node& node, const std::string& where) const {
  std::string json;
  if (!append_json(json, node)) {
    refuse(where + ": the extension for the exec plugin is larger than 64 KiB or nests too deep");
  }
  return json;
}

}  // namespace ccm::kube
