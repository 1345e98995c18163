// The traffic between the manager and the API server.
#pragma once

#include "bare_client.hpp"

namespace ccm::bench {

// Requests that an API server has answered since its start, by its own count; watches count when
// they end.
double answered_requests(const Server& admin);

// Bytes that a process has received and sent over the TCP connections that it has open, TLS
// included. Zeros where `ss` (iproute2) is missing.
struct Bytes {
  double received = 0;
  double sent = 0;
};
Bytes bytes_of(int pid, const Server& peer);

}  // namespace ccm::bench
