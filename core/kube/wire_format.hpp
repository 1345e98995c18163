// The encodings in which an informer can read lists and watches: JSON, and Kubernetes' protobuf.
// Each gives the same objects. One thread.
#pragma once

#include "kube/object.hpp"
#include "kube/object_decoder.hpp"
#include "kube/protobuf_decoder.hpp"
#include "kube/watch_decoder.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace ccm::kube {

class WireFormat {
 public:
  // JSON. `fields` and the texts of `options` must outlive the format.
  WireFormat(const FieldSet& fields, const Object::DecodeOptions& options)
      : fields_(&fields), options_(options) {}
  // Protobuf, with the fields of `fields`. unimplemented: only JSON can show all of them, for
  // example of a custom resource; the message says why.
  static Result<WireFormat> make_protobuf(const FieldSet& fields,
                                          const Object::DecodeOptions& options);

  [[nodiscard]] bool protobuf() const { return protobuf_.has_value(); }
  // For one answer. `max_object_bytes` as in WatchDecoder.
  [[nodiscard]] std::unique_ptr<ListReader> list(std::size_t max_object_bytes) const;
  [[nodiscard]] std::unique_ptr<WatchReader> watch(std::size_t max_object_bytes) const;
  // An item of such a list, an event of such a watch.
  [[nodiscard]] Result<ObjectPtr> decode(std::string_view piece) const;
  [[nodiscard]] Result<WatchEvent> decode_event(std::string_view piece) const;

 private:
  struct Projections {
    protobuf::Projection objects;
    protobuf::Projection bookmarks;
  };

  const FieldSet* fields_;
  Object::DecodeOptions options_;
  std::optional<Projections> protobuf_;
};

// The failure of a list, a watch or an object that JSON would not have.
bool needs_json(const Status& status);

}  // namespace ccm::kube
