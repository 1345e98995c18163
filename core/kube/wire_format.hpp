// The encodings in which an informer can read lists and watches: JSON, and Kubernetes' protobuf.
// Each gives the same objects. One thread.
#pragma once

#include "kube/object.hpp"
#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace ccm::kube {

class WireFormat {
 public:
  virtual ~WireFormat() = default;

  [[nodiscard]] virtual bool protobuf() const = 0;
  // For one answer. `max_object_bytes` as in WatchDecoder.
  [[nodiscard]] virtual std::unique_ptr<ListReader> list(std::size_t max_object_bytes) const = 0;
  [[nodiscard]] virtual std::unique_ptr<WatchReader> watch(std::size_t max_object_bytes) const = 0;
  // An item of such a list, an event of such a watch.
  [[nodiscard]] virtual Result<ObjectPtr> decode(std::string_view piece) const = 0;
  [[nodiscard]] virtual Result<WatchEvent> decode_event(std::string_view piece) const = 0;
};

// `fields` and the texts of `options` must outlive the format.
std::unique_ptr<WireFormat> json_format(const FieldSet& fields,
                                        const Object::DecodeOptions& options);
// unimplemented: only JSON can show all of `fields`, for example of a custom resource; the message
// says why.
Result<std::unique_ptr<WireFormat>> protobuf_format(const FieldSet& fields,
                                                    const Object::DecodeOptions& options);

// The failure of a list, a watch or an object that JSON would not have.
bool needs_json(const Status& status);

}  // namespace ccm::kube
