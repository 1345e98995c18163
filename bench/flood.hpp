// Clients without credentials that try to wear the endpoint out, each kind in its own way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ccm::bench {

// "connections": open and say nothing. "hellos": the same recorded ClientHello again and again,
// which costs the server a signature and the client nothing. "handshakes": whole ones.
// "announcements": a ClientHello of 131 kB is announced and comes byte by byte. "fields": header
// fields without end in TLS records of 4 bytes. "healthz": requests to an open page, many at a
// time. "tokens", "paths": requests to /metrics with made-up tokens, to made-up pages without any.
std::vector<std::string> flood_kinds();

// From 127.0.0.1 against 127.0.0.1:port, until its end.
class Flood {
 public:
  // `nice`: of the threads, 0 to 19; with 19 the manager has the processor whenever it wants it.
  // Throws std::runtime_error for a kind that does not exist.
  Flood(const std::string& kind, std::uint16_t port, unsigned threads, int nice);
  ~Flood();
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

  // Its work so far: connections, handshakes, requests or fields.
  [[nodiscard]] std::uint64_t done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// GET /healthz over a new connection from the address `from`, as a kubelet does. False when there
// is no 200 within a second for each step.
bool probe(std::uint16_t port, const std::string& from);

}  // namespace ccm::bench
