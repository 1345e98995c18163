#include "app/endpoint.hpp"

#include "app/options_tls.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ccm::app {

serving::ServingOptions serving_options(const SecureServingOptions& options) {
  serving::ServingOptions result;
  result.bind_address = options.bind_address;
  result.port = static_cast<std::uint16_t>(options.port);
  result.permit_port_sharing = options.permit_port_sharing;
  result.certificate_file = options.tls.cert_file;
  result.private_key_file = options.tls.private_key_file;
  result.certificate_directory = options.tls.cert_dir;
  for (const auto& sni : options.tls.sni) {
    result.sni_certificates.push_back({sni.certificate_file, sni.key_file, sni.patterns});
  }
  std::vector<std::string> told_by_validation;
  TlsParameters tls = tls_parameters(options.tls, "", told_by_validation);
  result.min_tls_version = tls.min_version;
  result.cipher_list = std::move(tls.cipher_list);
  result.ciphersuites = std::move(tls.ciphersuites);
  result.groups = std::move(tls.groups);
  return result;
}

}  // namespace ccm::app
