#include "kube/exec_answer.hpp"

#include "kube/object.hpp"
#include "kube/time_text.hpp"

namespace ccm::kube {
namespace {

Status bad(std::string why) { return {Code::unauthenticated, ErrorClass::auth, std::move(why)}; }

}  // namespace

Result<ExecAnswer> parse_exec_answer(std::string_view text, std::string_view api_version) {
  const Result<ObjectPtr> decoded = Object::decode(text);
  if (!decoded.ok()) return bad("its output is not an ExecCredential in JSON");
  const Object& object = **decoded;
  if (object.text_at("/kind") != "ExecCredential" || object.text_at("/apiVersion") != api_version) {
    return bad("it must answer with kind ExecCredential, apiVersion " + std::string(api_version));
  }
  ExecAnswer answer;
  answer.token = object.text_at("/status/token");
  answer.certificate_pem = object.text_at("/status/clientCertificateData");
  answer.private_key_pem = object.text_at("/status/clientKeyData");
  if (answer.certificate_pem.empty() != answer.private_key_pem.empty()) {
    return bad("it returned only one of clientCertificateData and clientKeyData");
  }
  if (answer.token.empty() && answer.certificate_pem.empty())
    return bad("it returned no credential");
  const std::string_view expiration = object.text_at("/status/expirationTimestamp");
  answer.expires = parse_time(expiration);
  if (!expiration.empty() && !answer.expires) {
    return bad("expirationTimestamp is no RFC 3339 time");
  }
  return answer;
}

}  // namespace ccm::kube
