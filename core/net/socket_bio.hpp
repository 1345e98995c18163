// An OpenSSL BIO over a non-blocking socket that never raises SIGPIPE.
#pragma once

#include "net/tls_context.hpp"

namespace ccm::net {

// The BIO borrows the descriptor.
[[nodiscard]] Openssl<BIO> make_socket_bio(int descriptor);

}  // namespace ccm::net
