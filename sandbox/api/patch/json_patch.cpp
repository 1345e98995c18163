#include "api/patch/patch.hpp"

#include <charconv>
#include <vector>

namespace sandbox {
namespace {

constexpr std::size_t kMaxOperations = 10000;

// Tokens of a JSON pointer, unescaped.
std::vector<std::string> split_pointer(const std::string& pointer) {
  if (pointer.empty()) return {};
  if (pointer[0] != '/') throw PatchError("the path " + pointer + " does not begin with a slash");
  std::vector<std::string> tokens(1);
  for (std::size_t i = 1; i < pointer.size(); ++i) {
    char c = pointer[i];
    if (c == '/') {
      tokens.emplace_back();
    } else if (c == '~' && i + 1 < pointer.size() && pointer[i + 1] <= '1') {
      tokens.back().push_back(pointer[++i] == '0' ? '~' : '/');
    } else {
      tokens.back().push_back(c);
    }
  }
  return tokens;
}

// The API counts negative indices from the end.
std::size_t list_index(const std::string& token, std::size_t size, bool adding) {
  long long index = 0;
  auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) {
    throw PatchError("not an array index: " + token);
  }
  long long limit = static_cast<long long>(size) + (adding ? 1 : 0);
  if (index < 0) index += limit;
  if (index < 0 || index >= limit) throw PatchError("Unable to access invalid index: " + token);
  return static_cast<std::size_t>(index);
}

// The target of a path: a member of `parent`, which exists; the member itself need not.
struct Place {
  Json* parent = nullptr;  // null: the whole document
  std::string token;
};

class Document {
 public:
  explicit Document(Json root) : root_(std::move(root)) {}

  void apply(const Json& operation) {
    std::string kind = text(operation, "op");
    std::string path = text(operation, "path");
    if (kind == "add") return add(path, value(operation));
    if (kind == "remove") return remove(path);
    if (kind == "replace") return replace(path, value(operation));
    if (kind == "test") return test(path, operation.value("value", Json()));
    if (kind != "move" && kind != "copy") throw PatchError("Unexpected kind: " + kind);
    std::string from = text(operation, "from");
    Json moved = get(from);
    if (kind == "move") remove(from);
    add(path, std::move(moved));
  }

  Json take() { return std::move(root_); }

 private:
  static std::string text(const Json& operation, const char* member) {
    auto found = operation.find(member);
    if (found == operation.end() || !found->is_string()) {
      throw PatchError("operation without \"" + std::string(member) + "\"");
    }
    return *found;
  }

  static Json value(const Json& operation) {
    auto found = operation.find("value");
    if (found == operation.end()) throw PatchError("operation without \"value\"");
    return *found;
  }

  Place locate(const std::string& path) {
    std::vector<std::string> tokens = split_pointer(path);
    if (tokens.empty()) return {};
    Json* at = &root_;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (at->is_object() && at->contains(tokens[i])) {
        at = &(*at)[tokens[i]];
      } else if (at->is_array()) {
        at = &(*at)[list_index(tokens[i], at->size(), false)];
      } else {
        throw PatchError("doc is missing path: " + path);
      }
    }
    if (!at->is_object() && !at->is_array()) throw PatchError("doc is missing path: " + path);
    return {at, tokens.back()};
  }

  void add(const std::string& path, Json value) {
    Place place = locate(path);
    if (place.parent == nullptr) {
      root_ = std::move(value);
    } else if (place.parent->is_object()) {
      (*place.parent)[place.token] = std::move(value);
    } else if (place.token == "-") {
      place.parent->push_back(std::move(value));
    } else {
      auto index = list_index(place.token, place.parent->size(), true);
      place.parent->insert(place.parent->begin() + static_cast<std::ptrdiff_t>(index),
                           std::move(value));
    }
  }

  void remove(const std::string& path) {
    Place place = locate(path);
    if (place.parent == nullptr) throw PatchError("the whole document cannot be removed");
    if (place.parent->is_array()) {
      place.parent->erase(list_index(place.token, place.parent->size(), false));
    } else if (place.parent->erase(place.token) == 0) {
      throw PatchError("Unable to remove nonexistent key: " + place.token);
    }
  }

  // More lenient than the RFC, as the API is: a missing member of an object is added.
  void replace(const std::string& path, Json value) {
    Place place = locate(path);
    if (place.parent == nullptr) {
      root_ = std::move(value);
    } else if (place.parent->is_object()) {
      (*place.parent)[place.token] = std::move(value);
    } else {
      (*place.parent)[list_index(place.token, place.parent->size(), false)] = std::move(value);
    }
  }

  Json get(const std::string& path) {
    Place place = locate(path);
    if (place.parent == nullptr) return root_;
    if (place.parent->is_array()) {
      return (*place.parent)[list_index(place.token, place.parent->size(), false)];
    }
    auto found = place.parent->find(place.token);
    if (found == place.parent->end()) throw PatchError("doc is missing path: " + path);
    return *found;
  }

  // A missing member equals null.
  void test(const std::string& path, const Json& wanted) {
    Place place = locate(path);
    bool missing = place.parent != nullptr && place.parent->is_object() &&
                   !place.parent->contains(place.token);
    if (missing ? !wanted.is_null() : get(path) != wanted)
      throw PatchError("testing value " + path + " failed");
  }

  Json root_;
};

}  // namespace

Json apply_json_patch(const Json& object, const Json& patch) {
  bool shaped = patch.is_array();
  for (const Json& operation : patch) shaped = shaped && operation.is_object();
  if (!shaped) throw PatchError("a JSON patch has to be a list of operations", true);
  if (patch.size() > kMaxOperations) throw PatchTooLarge(patch.size(), kMaxOperations);
  Document document(object);
  for (const Json& operation : patch) document.apply(operation);
  return document.take();
}

Json apply_merge_patch(Json object, const Json& patch) {
  if (!patch.is_object()) throw PatchError("a merge patch has to be a JSON object", true);
  object.merge_patch(patch);
  return object;
}

}  // namespace sandbox
