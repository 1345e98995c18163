// The encoding that an informer asks for: protobuf, as long as that shows what JSON would.
#include "base/log.hpp"
#include "kube/informer_impl.hpp"
#include "net/http_client.hpp"

namespace ccm::kube {

// Once, when no fields can be declared any more that are not kept already.
void Informer::Impl::choose_format() {
  format = json_format(fields, decode_options);
  if (!timing.protobuf) return;
  Result<std::unique_ptr<WireFormat>> other = protobuf_format(fields, decode_options);
  if (!other.ok()) {
    if (const auto v = log::v(2)) {
      v.info("Reads in JSON", {{"resource", spec.resource.id()}, {"reason", other.status()}});
    }
    return;
  }
  format = std::move(*other);
}

bool Informer::Impl::wants_json(const Status& status) const {
  return !status.ok() && format->protobuf() && needs_json(status);
}

void Informer::Impl::use_json(const Status& why) {
  log::info("Reads in JSON from now on", {{"resource", spec.resource.id()}, {"reason", why}});
  format = json_format(fields, decode_options);
}

Status Informer::Impl::check_type(const net::ResponseStream& answer) {
  const std::string_view type = answer.head().header("Content-Type");
  if (!format->protobuf() || type.starts_with(kProtobufType)) return {};
  if (type.empty() || type.starts_with(kJsonType)) {
    use_json(Status(Code::unimplemented, ErrorClass::unsupported, "the server answers in JSON"));
    return {};
  }
  return {Code::unavailable, ErrorClass::unavailable,
          "read " + spec.resource.id() + ": the answer is neither protobuf nor JSON"};
}

}  // namespace ccm::kube
