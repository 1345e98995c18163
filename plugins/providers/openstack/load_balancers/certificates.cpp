#include "certificates.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>

namespace ccm::openstack {
namespace {

Status wrong_reference(const std::string& reference, const std::string& why) {
  return Status(
             Code::invalid_argument, ErrorClass::invalid_spec,
             "loadbalancer.openstack.org/default-tls-container-ref \"" + reference + "\": " + why)
      .with_reason("InvalidAnnotation");
}

}  // namespace

Task<Status> check_certificate(Api& api, Ctx ctx, std::string reference) {
  std::string text = reference;
  while (text.ends_with('/')) text.pop_back();
  const std::size_t last = text.rfind('/');
  const std::size_t before =
      last == std::string::npos || last == 0 ? std::string::npos : text.rfind('/', last - 1);
  const std::string kind = last == std::string::npos
                               ? std::string()
                               : text.substr(before == std::string::npos ? 0 : before + 1,
                                             last - (before == std::string::npos ? 0 : before + 1));
  if (kind != "containers" && kind != "secrets") {
    co_return wrong_reference(reference, "does not end in containers/ID or secrets/ID");
  }
  Call question;
  question.service = "key-manager";
  question.path = kind + "/" + percent_encode(text.substr(last + 1));
  question.operation = kind == "containers" ? "GetContainer" : "GetSecret";
  const auto body = co_await api.call(ctx, std::move(question));
  if (body.status().error_class() == ErrorClass::not_found) {
    co_return wrong_reference(reference, "Barbican does not have it");
  }
  co_return body.status();
}

}  // namespace ccm::openstack
