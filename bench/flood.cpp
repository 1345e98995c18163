#include "flood.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace ccm::bench {
namespace {

struct ContextDelete {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct SessionDelete {
  void operator()(SSL* session) const { SSL_free(session); }
};

class Socket {
 public:
  explicit Socket(std::uint16_t port, const std::string& from = "127.0.0.1")
      : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // Without this a million closed connections use up the ports of this machine.
    const linger reset{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
    ::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    good_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool good() const { return good_; }
  bool send(std::string_view bytes) const {
    return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

 private:
  int descriptor_;
  bool good_ = false;
};

// A connection with its handshake done, or not.
class Secure {
 public:
  explicit Secure(std::uint16_t port, const std::string& from = "127.0.0.1")
      : socket_(port, from), context_(SSL_CTX_new(TLS_client_method())) {
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), socket_.descriptor());
    good_ = socket_.good() && SSL_connect(session_.get()) == 1;
  }
  [[nodiscard]] bool good() const { return good_; }
  bool send(std::string_view bytes) {
    return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
  }
  // How many answers the next piece has.
  int receive() {
    char piece[16384];
    const int size = SSL_read(session_.get(), piece, sizeof piece);
    if (size <= 0) return -1;
    int answers = 0;
    const std::string_view text(piece, static_cast<std::size_t>(size));
    for (std::size_t at = 0; (at = text.find("HTTP/1.1 ", at)) != std::string_view::npos; ++at) {
      ++answers;
    }
    return answers;
  }

 private:
  Socket socket_;
  std::unique_ptr<SSL_CTX, ContextDelete> context_;
  std::unique_ptr<SSL, SessionDelete> session_;
  bool good_ = false;
};

std::string recorded_hello() {
  const std::unique_ptr<SSL_CTX, ContextDelete> context(SSL_CTX_new(TLS_client_method()));
  const std::unique_ptr<SSL, SessionDelete> session(SSL_new(context.get()));
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(session.get(), BIO_new(BIO_s_mem()), out);
  SSL_set_connect_state(session.get());
  SSL_do_handshake(session.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

struct Run {
  std::uint16_t port;
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> done{0};
};

void connections(Run& run) {
  std::deque<std::unique_ptr<Socket>> open;
  while (!run.over) {
    open.push_back(std::make_unique<Socket>(run.port));
    if (open.back()->good()) ++run.done;
    if (open.size() > 300) open.pop_front();
  }
}

void hellos(Run& run) {
  const std::string hello = recorded_hello();
  std::deque<std::unique_ptr<Socket>> open;
  while (!run.over) {
    open.push_back(std::make_unique<Socket>(run.port));
    if (open.back()->good() && open.back()->send(hello)) ++run.done;
    if (open.size() > 100) open.pop_front();
  }
}

void handshakes(Run& run) {
  while (!run.over) {
    if (Secure(run.port).good()) ++run.done;
  }
}

void announcements(Run& run) {
  const std::string head("\x16\x03\x01\x40\x00\x01\x02\x01\x00", 9);
  std::deque<std::unique_ptr<Socket>> open;
  while (!run.over) {
    open.push_back(std::make_unique<Socket>(run.port));
    if (open.back()->good() && open.back()->send(head)) ++run.done;
    if (open.size() > 300) open.pop_front();
    for (const auto& socket : open) (void)socket->send("x");
  }
}

void fields(Run& run) {
  while (!run.over) {
    Secure client(run.port);
    bool good = client.good() && client.send("GET /healthz HTTP/1.1\r\nHost: x\r\na");
    while (good && !run.over) {
      good = client.send(":\r\na");
      ++run.done;
    }
  }
}

void requests(Run& run, const std::function<std::string(std::uint64_t)>& text, int at_once) {
  std::uint64_t next = reinterpret_cast<std::uintptr_t>(&next);  // differs by thread
  while (!run.over) {
    Secure client(run.port);
    bool good = client.good();
    while (good && !run.over) {
      std::string many;
      for (int i = 0; i < at_once; ++i) many += text(++next);
      good = client.send(many);
      for (int answers = 0; good && answers < at_once && !run.over;) {
        const int more = client.receive();
        good = more >= 0;
        if (good) answers += more;
        if (good) run.done += static_cast<std::uint64_t>(more);
      }
    }
  }
}

std::string get(const std::string& path, const std::string& header = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n";
}

const std::map<std::string, std::function<void(Run&)>>& kinds() {
  static const std::map<std::string, std::function<void(Run&)>> all = {
      {"connections", connections},
      {"hellos", hellos},
      {"handshakes", handshakes},
      {"announcements", announcements},
      {"fields", fields},
      {"healthz",
       [](Run& run) {
         requests(
             run, [](std::uint64_t) { return get("/healthz"); }, 100);
       }},
      {"tokens",
       [](Run& run) {
         const auto text = [](std::uint64_t i) {
           return get("/metrics", "Authorization: Bearer made-up-" + std::to_string(i) + "\r\n");
         };
         requests(run, text, 1);
       }},
      {"paths", [](Run& run) {
         const auto text = [](std::uint64_t i) {
           return get("/" + std::to_string(i) + std::string(7'000, 'p'));
         };
         requests(run, text, 1);
       }}};
  return all;
}

}  // namespace

std::vector<std::string> flood_kinds() {
  return {"connections", "hellos",  "handshakes", "announcements",
          "fields",      "healthz", "tokens",     "paths"};
}

bool probe(std::uint16_t port, const std::string& from) {
  Secure client(port, from);
  return client.good() && client.send(get("/healthz")) && client.receive() == 1;
}

struct Flood::Impl {
  Run run;
  std::vector<std::thread> threads;
};

Flood::Flood(const std::string& kind, std::uint16_t port, unsigned threads, int nice)
    : impl_(std::make_unique<Impl>()) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto found = kinds().find(kind);
  if (found == kinds().end()) throw std::runtime_error("there is no flood " + kind);
  impl_->run.port = port;
  for (unsigned i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([run = &impl_->run, flood = found->second, nice] {
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice);
      flood(*run);
    });
  }
}

Flood::~Flood() {
  impl_->run.over = true;
  for (std::thread& thread : impl_->threads) thread.join();
}

std::uint64_t Flood::done() const { return impl_->run.done; }

}  // namespace ccm::bench
