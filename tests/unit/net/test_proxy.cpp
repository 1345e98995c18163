#include "test_proxy.hpp"

#include "test_http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>

namespace ccm::test {
namespace {

// Blocking bytes, bare or under TLS.
class Channel {
 public:
  Channel(int descriptor, SSL* session) : descriptor_(descriptor), session_(session) {}
  int read(char* data, int size) {
    if (session_ != nullptr) return SSL_read(session_, data, size);
    return static_cast<int>(::recv(descriptor_, data, static_cast<std::size_t>(size), 0));
  }
  bool write(const std::string& data) {
    if (session_ != nullptr) {
      return SSL_write(session_, data.data(), static_cast<int>(data.size())) > 0;
    }
    return ::send(descriptor_, data.data(), data.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(data.size());
  }
  bool read_exactly(std::size_t size, std::string* data) {
    data->resize(size);
    for (std::size_t have = 0; have < size;) {
      const int count = read(data->data() + have, static_cast<int>(size - have));
      if (count <= 0) return false;
      have += static_cast<std::size_t>(count);
    }
    return true;
  }
  bool read_head(std::string* head) {
    std::string byte;
    while (head->find("\r\n\r\n") == std::string::npos) {
      if (!read_exactly(1, &byte)) return false;
      *head += byte;
    }
    return true;
  }
  bool buffered() const { return session_ != nullptr && SSL_pending(session_) > 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  SSL* session_;
};

// Names all mean this machine.
int connect_to_port(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return descriptor;
  }
  ::close(descriptor);
  return -1;
}

void splice(Channel& a, Channel& b) {
  char data[16384];
  while (true) {
    pollfd waits[2] = {{a.descriptor(), POLLIN, 0}, {b.descriptor(), POLLIN, 0}};
    if (!a.buffered() && ::poll(waits, 2, 10'000) <= 0) return;
    if (a.buffered() || waits[0].revents != 0) {
      const int count = a.read(data, sizeof data);
      if (count <= 0 || !b.write(std::string(data, static_cast<std::size_t>(count)))) return;
    }
    if (waits[1].revents != 0) {
      const int count = b.read(data, sizeof data);
      if (count <= 0 || !a.write(std::string(data, static_cast<std::size_t>(count)))) return;
    }
  }
}

}  // namespace

struct TestProxy::Impl {
  explicit Impl(ProxyOptions given) : options(std::move(given)) {
    if (options.certificate) {
      context = SSL_CTX_new(TLS_server_method());
      BIO* in = BIO_new_mem_buf(options.certificate->certificate_pem.data(), -1);
      X509* certificate = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
      SSL_CTX_use_certificate(context, certificate);
      X509_free(certificate);
      BIO_free(in);
      in = BIO_new_mem_buf(options.certificate->key_pem.data(), -1);
      EVP_PKEY* key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
      SSL_CTX_use_PrivateKey(context, key);
      EVP_PKEY_free(key);
      BIO_free(in);
    }
    ServerOptions server_options;
    server_options.raw_connection = [this](int descriptor, unsigned) { serve(descriptor); };
    server = std::make_unique<TestHttpServer>(nullptr, server_options);
  }
  ~Impl() {
    server.reset();
    SSL_CTX_free(context);
  }

  void serve(int descriptor) {
    // OpenSSL's own socket BIO raises it; only this thread looks away, the code under test must
    // not.
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
    SSL* session = nullptr;
    if (context != nullptr) {
      session = SSL_new(context);
      SSL_set_fd(session, descriptor);
      if (SSL_accept(session) != 1) {
        SSL_free(session);
        return;
      }
    }
    Channel client(descriptor, session);
    std::string prefix;
    const int target = options.socks5 ? socks(client) : http(client, &prefix);
    if (target >= 0) {
      Channel far(target, nullptr);
      if (far.write(prefix)) splice(client, far);
      ::close(target);
    }
    SSL_free(session);
  }

  int open_target(const std::string& name) {
    {
      const std::lock_guard lock(mutex);
      seen.push_back(name);
    }
    const auto port = std::stoi(name.substr(name.rfind(':') + 1));
    return connect_to_port(static_cast<std::uint16_t>(port));
  }

  int http(Channel& client, std::string* prefix) {
    std::string head;
    if (!client.read_head(&head)) return -1;
    if (!options.user.empty() && head.find("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n") ==
                                     std::string::npos) {  // user:pass
      client.write(
          "HTTP/1.1 407 Proxy Authentication "
          "Required\r\nContent-Length: 0\r\n\r\n");
      return -1;
    }
    if (options.refuse_with != 0) {
      client.write("HTTP/1.1 " + std::to_string(options.refuse_with) + " No\r\n\r\n");
      return -1;
    }
    const std::string target = head.substr(head.find(' ') + 1);
    if (head.rfind("CONNECT ", 0) == 0) {
      const int descriptor = open_target(target.substr(0, target.find(' ')));
      client.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n" +
                   std::string(options.talk_early ? "x" : ""));
      return descriptor;
    }
    const auto start = target.find("://") + 3;
    *prefix = head;
    return open_target(target.substr(start, target.find('/', start) - start));
  }

  int socks(Channel& client) {
    std::string data;
    if (!client.read_exactly(2, &data)) return -1;
    const auto methods = static_cast<unsigned char>(data[1]);
    if (!client.read_exactly(methods, &data)) return -1;
    if (!options.user.empty()) {
      const bool offered = data.find('\x02') != std::string::npos;
      client.write(std::string("\x05") + (offered ? '\x02' : '\xff'));
      if (!offered || !socks_password(client)) return -1;
    } else {
      client.write(std::string("\x05\x00", 2));
    }
    if (!client.read_exactly(4, &data)) return -1;
    const char kind = data[3];
    std::string host = "address";
    if (kind == '\x03') {
      if (!client.read_exactly(1, &data)) return -1;
      if (!client.read_exactly(static_cast<unsigned char>(data[0]), &host)) return -1;
    } else if (!client.read_exactly(kind == '\x04' ? 16 : 4, &data)) {
      return -1;
    }
    if (!client.read_exactly(2, &data)) return -1;
    const unsigned port =
        static_cast<unsigned char>(data[0]) * 256u + static_cast<unsigned char>(data[1]);
    const int descriptor = open_target(host + ":" + std::to_string(port));
    std::string answer("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x01", 10);
    answer[1] = static_cast<char>(options.refuse_with);
    client.write(answer);
    return descriptor;
  }

  bool socks_password(Channel& client) {
    std::string data;
    std::string user;
    std::string password;
    if (!client.read_exactly(2, &data)) return false;
    if (!client.read_exactly(static_cast<unsigned char>(data[1]), &user)) return false;
    if (!client.read_exactly(1, &data)) return false;
    if (!client.read_exactly(static_cast<unsigned char>(data[0]), &password)) return false;
    const bool good = user == options.user && password == options.password;
    client.write(std::string("\x01") + (good ? '\0' : '\x01'));
    return good;
  }

  ProxyOptions options;
  SSL_CTX* context = nullptr;
  mutable std::mutex mutex;
  std::vector<std::string> seen;
  std::unique_ptr<TestHttpServer> server;
};

TestProxy::TestProxy(ProxyOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
TestProxy::~TestProxy() = default;

std::uint16_t TestProxy::port() const { return impl_->server->port(); }

std::vector<std::string> TestProxy::targets() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->seen;
}

}  // namespace ccm::test
