#include "kube/object.hpp"

#include "kube/json_pointer.hpp"
#include "kube/json_text.hpp"
#include "kube/object_encoding.hpp"

#include <charconv>
#include <cstring>
#include <new>

namespace ccm::kube {

using encoding::Container;
using encoding::read_container;
using encoding::read_text;
using encoding::Text;

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

std::string_view Object::identity(int which) const {
  return identity_[which] == 0 ? std::string_view{} : text(identity_[which]);
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

std::size_t Object::memory() const { return sizeof(Object) + size_; }

}  // namespace ccm::kube
