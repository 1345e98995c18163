// kube::Object: an immutable, reference counted snapshot of a Kubernetes object, or of its declared
// fields. One allocation holds the whole tree in a compact form (object_encoding.hpp), so that
// thousands fit in a cache. Any thread: nothing changes after decode().
#pragma once

#include "base/clock.hpp"

#include <ccm/status.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube {

class Object;
using ObjectPtr = boost::intrusive_ptr<const Object>;

void intrusive_ptr_add_ref(const Object* object) noexcept;
void intrusive_ptr_release(const Object* object) noexcept;

// The fields that a cache keeps: a union of JSON pointers (RFC 6901). A declared pointer keeps its
// whole subtree; one that leads through an array keeps the array, but with the segment "-" it keeps
// that part of each element: "/status/conditions/-/type". Identity is always kept: apiVersion,
// kind, metadata.name, .namespace, .uid, .resourceVersion, .deletionTimestamp.
class FieldSet {
 public:
  FieldSet();  // identity only
  // Everything is kept.
  static FieldSet all();
  // Failure: invalid_argument for a text that is no JSON pointer or has more than 128 segments. ""
  // means everything.
  static Result<FieldSet> of(const std::vector<std::string>& pointers);

  Status add(std::string_view pointer);
  void merge(const FieldSet& other);
  // Every field of `other` is kept by this set too.
  [[nodiscard]] bool covers(const FieldSet& other) const;
  [[nodiscard]] bool everything() const { return root_.whole; }

  struct Child;
  struct Node {
    bool whole = false;
    std::vector<Child> children;
    [[nodiscard]] const Node* child(std::string_view key) const;
    // The kept part of each element if this is an array; null = all of it.
    [[nodiscard]] const Node* each_element() const;
  };
  struct Child {
    std::string name;
    Node node;
  };
  [[nodiscard]] const Node& root() const { return root_; }

 private:
  Node root_;
};

class Object {
 public:
  enum class Kind : uint8_t { absent, null, boolean, number, string, array, object };

  // Where a value lies in the object; valid as long as the object lives. Wrong numbers are
  // harmless: they read as absent or as some other value, never outside of the object.
  using Position = uint64_t;
  static constexpr Position kRoot = 0;
  static constexpr Position kAbsent = ~Position{0};

  // Decodes one JSON object. `kind` and `api_version` are filled in when the text lacks them
  // (API-140). Failure: data_loss for a text that is not a JSON object, nests deeper than 128
  // levels or has no metadata.name when `require_name`; the message never quotes the object.
  struct DecodeOptions {
    std::string_view kind;
    std::string_view api_version;
    bool require_name = true;
  };
  static Result<ObjectPtr> decode(std::string_view json, const FieldSet& fields,
                                  const DecodeOptions& options);
  static Result<ObjectPtr> decode(std::string_view json);  // whole, a name is not required
  // Wraps a tree that encoding::Writer wrote. For the decoders in core/kube.
  static ObjectPtr make(std::span<const unsigned char> tree);

  // Identity; empty when absent. Borrowed from the object.
  [[nodiscard]] std::string_view name() const { return identity(0); }
  [[nodiscard]] std::string_view namespace_name() const { return identity(1); }
  [[nodiscard]] std::string_view uid() const { return identity(2); }
  [[nodiscard]] std::string_view resource_version() const { return identity(3); }

  // A time at which the object of this UID existed: the time of its decoding, or for a newer state
  // that replaced an older one in a cache, that of the older state.
  [[nodiscard]] BootClock::time_point seen() const { return seen_; }

  // It is the last state of an object that the API server itself called deleted, in an event of a
  // watch: not one that was missed in a list, or in a cache.
  [[nodiscard]] bool deletion_seen() const { return deletion_seen_; }

  // The value under `pointer` (RFC 6901, "" is the value itself) seen from `from`; kAbsent when
  // there is none.
  [[nodiscard]] Position find(Position from, std::string_view pointer) const;
  [[nodiscard]] Position find(std::string_view pointer) const { return find(kRoot, pointer); }
  // The member called `key`, taken literally.
  [[nodiscard]] Position member(Position object, std::string_view key) const;

  [[nodiscard]] Kind kind(Position value) const;
  // A string's content, a number's or boolean's JSON text; empty for all other values. Borrowed
  // from the object.
  [[nodiscard]] std::string_view text(Position value) const;
  [[nodiscard]] std::string_view text_at(std::string_view pointer) const {
    return text(find(pointer));
  }

  // Calls visit(key, position) for each member or element in the order of the text (key empty for
  // elements) until it returns false. A visitor that returns void sees all.
  template <typename Visitor>
  void each(Position container, Visitor&& visit) const {
    for (Item item = first(container); item.value != kAbsent; item = next(item)) {
      if constexpr (std::same_as<std::invoke_result_t<Visitor&, std::string_view, Position>,
                                 bool>) {
        if (!visit(item.key, item.value)) return;
      } else {
        visit(item.key, item.value);
      }
    }
  }

  // The kept fields as compact JSON. Rendered on each call; not cached.
  [[nodiscard]] std::string json(Position from = kRoot) const;
  // The JSON of the whole object, rendered by the first call and kept until the object dies.
  [[nodiscard]] std::string_view borrowed_json() const;

  // Equal in everything that is kept but the resourceVersion.
  [[nodiscard]] bool same_content(const Object& other) const;
  // Whether the value at `mine` has the content of `other`'s at `theirs`, members in the same
  // order.
  [[nodiscard]] bool equal(Position mine, const Object& other, Position theirs) const;
  // Bytes that this object occupies, its header included.
  [[nodiscard]] std::size_t memory() const { return sizeof(Object) + size_; }

 private:
  struct Item {
    std::string_view key;
    Position value = kAbsent;
    Position after = 0;  // after the value
    Position end = 0;    // the container's
    bool keyed = false;
  };

  Object() = default;
  ~Object();
  [[nodiscard]] const unsigned char* tree() const {
    return reinterpret_cast<const unsigned char*>(this) + sizeof(Object);
  }
  [[nodiscard]] std::string_view identity(int which) const {
    return identity_[which] == 0 ? std::string_view{} : text(identity_[which]);
  }
  [[nodiscard]] bool same_value(const Object& other, Position mine, Position theirs) const;
  // The element that a token of a pointer counts.
  [[nodiscard]] Position element(Position array, std::string_view token) const;
  [[nodiscard]] Item first(Position container) const;
  [[nodiscard]] Item next(const Item& item) const;
  friend class ObjectStore;
  friend void intrusive_ptr_add_ref(const Object* object) noexcept;
  friend void intrusive_ptr_release(const Object* object) noexcept;

  mutable std::atomic<const std::string*> json_{nullptr};
  mutable std::atomic<uint32_t> references_{0};
  // ObjectStore writes these before it shares them.
  mutable BootClock::time_point seen_ = BootClock::now();
  mutable bool deletion_seen_ = false;
  uint32_t size_ = 0;          // the tree that follows this header
  uint32_t identity_[4] = {};  // offsets of name, namespace, uid, resourceVersion; 0 = absent
};

}  // namespace ccm::kube
