// Ports of the loopback interface for programs that must be told one.
#pragma once

namespace ccm::support {

// A free TCP port of 127.0.0.1 that is nobody else's while this object lives: a socket is bound to
// it that does not listen and lets others share it.
class ReservedPort {
 public:
  ReservedPort();  // throws std::runtime_error when none is free
  ~ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  int port() const { return port_; }

 private:
  int descriptor_ = -1;
  int port_ = 0;
};

}  // namespace ccm::support
