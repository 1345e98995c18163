#include "support/ports.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace ccm::support {

ReservedPort::ReservedPort() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(descriptor_, any, size) != 0 || ::getsockname(descriptor_, any, &size) != 0) {
    ::close(descriptor_);
    throw std::runtime_error("no port is free");
  }
  port_ = ntohs(address.sin_port);
}

ReservedPort::~ReservedPort() { ::close(descriptor_); }

}  // namespace ccm::support
