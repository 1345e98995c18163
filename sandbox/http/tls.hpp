#pragma once

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace sandbox::http {

// A private certificate authority and a serving certificate for 127.0.0.1, ::1 and localhost.
struct ServingIdentity {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
};

// Made at each start; valid for a year. Throws std::runtime_error if OpenSSL fails.
ServingIdentity make_serving_identity();

// TLS 1.2 and newer; answers ALPN with http/1.1.
boost::asio::ssl::context make_tls_context(const ServingIdentity& identity);

}  // namespace sandbox::http
