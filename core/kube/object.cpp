#include "kube/object.hpp"

#include "kube/json_text.hpp"
#include "kube/object_encoding.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>

namespace ccm::kube {
using encoding::Container;
using encoding::read_container;
using encoding::read_text;
using encoding::Text;

// Walks the tokens of an RFC 6901 JSON pointer. Private to core/kube.
class JsonPointer {
 public:
  explicit JsonPointer(std::string_view text)
      : rest_(text), escapes_(text.find('~') != std::string_view::npos) {}

  static constexpr bool valid(std::string_view text) {
    if (!text.empty() && text.front() != '/') return false;
    for (auto i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1)) {
      if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
    }
    return true;
  }

  // The next token, unescaped, until the one after it is asked for; false at the end.
  bool next(std::string_view& token) {
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    token = rest_.substr(0, rest_.find('/'));
    rest_.remove_prefix(token.size());
    if (escapes_) token = unescape(token);
    return true;
  }

 private:
  std::string_view unescape(std::string_view token) {
    unescaped_.clear();
    unescaped_.reserve(token.size());
    for (std::size_t i = 0; i < token.size(); ++i) {
      const bool escape = token[i] == '~' && i + 1 < token.size();
      if (escape) ++i;
      unescaped_ += !escape ? token[i] : token[i] == '0' ? '~' : '/';
    }
    return unescaped_;
  }

  std::string_view rest_;
  bool escapes_;
  std::string unescaped_;
};

namespace {

// Objects nest no deeper (Object::decode), so a longer pointer would only cost stack.
constexpr std::size_t kMaxTokens = 128;

using Node = FieldSet::Node;

Node& child_of(Node& node, std::string_view key) {
  for (auto& [name, child] : node.children) {
    if (name == key) return child;
  }
  return node.children.emplace_back(FieldSet::Child{std::string(key), Node{}}).node;
}

void keep_whole(Node& node) {
  node.whole = true;
  node.children.clear();
}

void merge_into(Node& into, const Node& from) {
  if (into.whole) return;
  if (from.whole) return keep_whole(into);
  for (const auto& [key, child] : from.children) merge_into(child_of(into, key), child);
}

bool node_covers(const Node& node, const Node& other) {
  if (node.whole) return true;
  return !other.whole && std::ranges::all_of(other.children, [&](const FieldSet::Child& entry) {
    const Node* mine = node.child(entry.name);
    return mine != nullptr && node_covers(*mine, entry.node);
  });
}

}  // namespace

const Node* Node::child(std::string_view key) const {
  for (const auto& [name, node] : children) {
    if (name == key) return &node;
  }
  return nullptr;
}

// With an index beside it somebody else needs whole elements.
const Node* Node::each_element() const {
  if (children.size() != 1 || children.front().name != "-") return nullptr;
  return children.front().node.whole ? nullptr : &children.front().node;
}

FieldSet::FieldSet() {
  for (const char* key : {"apiVersion", "kind"}) keep_whole(child_of(root_, key));
  Node& metadata = child_of(root_, "metadata");
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "deletionTimestamp"}) {
    keep_whole(child_of(metadata, key));
  }
}

FieldSet FieldSet::all() {
  FieldSet set;
  keep_whole(set.root_);
  return set;
}

Result<FieldSet> FieldSet::of(const std::vector<std::string>& pointers) {
  FieldSet set;
  for (const std::string& pointer : pointers) {
    if (Status status = set.add(pointer); !status.ok()) return status;
  }
  return set;
}

Status FieldSet::add(std::string_view pointer) {
  if (!JsonPointer::valid(pointer)) {
    return {Code::invalid_argument, ErrorClass::invalid_spec,
            "\"" + std::string(pointer) +
                "\" is no JSON pointer (RFC 6901): write \"\" or \"/spec/providerID\", with ~0 for "
                "~ and ~1 for /"};
  }
  if (std::count(pointer.begin(), pointer.end(), '/') > std::ptrdiff_t{kMaxTokens}) {
    return {Code::invalid_argument, ErrorClass::invalid_spec,
            "a JSON pointer has more than 128 segments, deeper than any object"};
  }
  Node* node = &root_;
  JsonPointer tokens(pointer);
  std::string_view token;
  while (!node->whole && tokens.next(token)) node = &child_of(*node, token);
  keep_whole(*node);
  return {};
}

void FieldSet::merge(const FieldSet& other) { merge_into(root_, other.root_); }

bool FieldSet::covers(const FieldSet& other) const { return node_covers(root_, other.root_); }

void intrusive_ptr_add_ref(const Object* object) noexcept {
  object->references_.fetch_add(1, std::memory_order_relaxed);
}

void intrusive_ptr_release(const Object* object) noexcept {
  if (object->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  object->~Object();
  ::operator delete(const_cast<Object*>(object));
}

Object::~Object() { delete json_.load(std::memory_order_relaxed); }

ObjectPtr Object::make(std::span<const unsigned char> tree) {
  // Not malloc(): without memory the handler of new has the last word.
  void* memory = ::operator new(sizeof(Object) + tree.size());
  auto* object = new (memory) Object;
  object->size_ = static_cast<uint32_t>(tree.size());
  std::memcpy(static_cast<unsigned char*>(memory) + sizeof(Object), tree.data(), tree.size());
  const Position metadata = object->member(kRoot, "metadata");
  static constexpr std::string_view kKeys[] = {"name", "namespace", "uid", "resourceVersion"};
  for (int i = 0; i < 4; ++i) {
    const Position at = object->member(metadata, kKeys[i]);
    if (object->kind(at) == Kind::string) object->identity_[i] = static_cast<uint32_t>(at);
  }
  return ObjectPtr(object);
}

Object::Kind Object::kind(Position value) const {
  if (value >= size_) return Kind::absent;
  switch (const unsigned char tag = tree()[value]; tag) {
    case encoding::kNull:
      return Kind::null;
    case encoding::kFalse:
    case encoding::kTrue:
      return Kind::boolean;
    case encoding::kNumber:
      return Kind::number;
    case encoding::kArray:
    case encoding::kArrayLarge:
      return Kind::array;
    case encoding::kObject:
    case encoding::kObjectLarge:
      return Kind::object;
    default:
      return tag == encoding::kString || tag == encoding::kWord || tag >= encoding::kShortString
                 ? Kind::string
                 : Kind::absent;
  }
}

std::string_view Object::text(Position value) const {
  if (value >= size_) return {};
  if (tree()[value] == encoding::kTrue) return "true";
  if (tree()[value] == encoding::kFalse) return "false";
  return read_text(tree(), size_, value).text;
}

Object::Item Object::first(Position container) const {
  if (container >= size_) return {};
  const Container content = read_container(tree(), size_, container);
  if (!content.valid) return {};
  Item item;
  item.keyed = kind(container) == Kind::object;
  item.after = content.begin;
  item.end = content.end;
  return next(item);
}

Object::Item Object::next(const Item& item) const {
  Item result = item;
  result.value = kAbsent;
  std::size_t at = item.after;
  if (at >= item.end) return result;
  if (item.keyed) {
    const Text key = read_text(tree(), item.end, at);
    if (!key.valid || key.after >= item.end) return result;
    result.key = key.text;
    at = key.after;
  }
  result.value = at;
  result.after = encoding::skip_value(tree(), item.end, at);
  return result;
}

Object::Position Object::member(Position object, std::string_view key) const {
  const Container content = read_container(tree(), size_, object);
  if (!content.keyed) return kAbsent;
  const std::size_t at = encoding::find_member(tree(), content.begin, content.end, key);
  return at < content.end ? at : kAbsent;
}

Object::Position Object::find(Position from, std::string_view pointer) const {
  if (kind(from) == Kind::absent || !JsonPointer::valid(pointer)) return kAbsent;
  JsonPointer tokens(pointer);
  std::string_view token;
  while (from != kAbsent && tokens.next(token)) {
    from = kind(from) == Kind::array ? element(from, token) : member(from, token);
  }
  return from;
}

Object::Position Object::element(Position array, std::string_view token) const {
  std::size_t index = 0;
  const char* const last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, index);
  const bool leading_zero = token.size() > 1 && token.front() == '0';
  if (error != std::errc{} || leading_zero || end != last) return kAbsent;
  Item item = first(array);
  for (; index > 0 && item.value != kAbsent; --index) item = next(item);
  return item.value;
}

std::string Object::json(Position from) const {
  std::string out;
  struct Render {
    static void value(const Object& object, Position at, std::string& out, unsigned depth) {
      switch (object.kind(at)) {
        case Kind::absent:
        case Kind::null:
          out += "null";
          return;
        case Kind::boolean:
        case Kind::number:
          out += object.text(at);
          return;
        case Kind::string:
          append_json_string(out, object.text(at));
          return;
        case Kind::array:
        case Kind::object:
          break;
      }
      // Decoded objects never nest so deep; from a wrong position any bytes may seem to.
      if (depth > encoding::kMaxDepth) {
        out += "null";
        return;
      }
      const bool keyed = object.kind(at) == Kind::object;
      out += keyed ? '{' : '[';
      bool comma = false;
      object.each(at, [&](std::string_view key, Position item) {
        if (comma) out += ',';
        comma = true;
        if (keyed) {
          append_json_string(out, key);
          out += ':';
        }
        value(object, item, out, depth + 1);
      });
      out += keyed ? '}' : ']';
    }
  };
  if (kind(from) != Kind::absent) Render::value(*this, from, out, 1);
  return out;
}

std::string_view Object::borrowed_json() const {
  const std::string* kept = json_.load(std::memory_order_acquire);
  if (kept != nullptr) return *kept;
  auto rendered = std::make_unique<const std::string>(json());
  // Another thread may have been quicker: its text stays, since others may have borrowed it.
  if (json_.compare_exchange_strong(kept, rendered.get(), std::memory_order_acq_rel)) {
    return *rendered.release();
  }
  return *kept;
}

// For versions of different lengths, where the bytes lie at different places.
bool Object::same_value(const Object& other, Position mine, Position theirs) const {
  if (mine == identity_[3] && theirs == other.identity_[3] && mine != 0) return true;
  const Kind what = kind(mine);
  if (what != other.kind(theirs)) return false;
  if (what != Kind::array && what != Kind::object) return text(mine) == other.text(theirs);
  Item left = first(mine);
  Item right = other.first(theirs);
  while (left.value != kAbsent && right.value != kAbsent) {
    if (left.key != right.key || !same_value(other, left.value, right.value)) return false;
    left = next(left);
    right = other.next(right);
  }
  return left.value == right.value;
}

bool Object::same_content(const Object& other) const {
  const std::size_t begin = identity_[3];
  if (begin == 0 || size_ != other.size_ || begin != other.identity_[3]) {
    return same_value(other, kRoot, kRoot);
  }
  const std::size_t end = encoding::skip_value(tree(), size_, begin);
  return encoding::skip_value(other.tree(), size_, begin) == end &&
         std::memcmp(tree(), other.tree(), begin) == 0 &&
         std::memcmp(tree() + end, other.tree() + end, size_ - end) == 0;
}

// Equal objects are encoded in equal bytes.
bool Object::equal(Position mine, const Object& other, Position theirs) const {
  if (mine >= size_ || theirs >= other.size_) return mine >= size_ && theirs >= other.size_;
  const std::size_t length = encoding::skip_value(tree(), size_, mine) - mine;
  return encoding::skip_value(other.tree(), other.size_, theirs) - theirs == length &&
         std::memcmp(tree() + mine, other.tree() + theirs, length) == 0;
}

}  // namespace ccm::kube
