#include "tls_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace ccm::test {

struct TlsClient::Impl {
  int descriptor = -1;
  SSL_CTX* context = nullptr;
  SSL* session = nullptr;
  bool good = false;
  std::string received;

  // False at the end of the stream or after 10 s.
  bool receive() {
    char piece[4096];
    const int count = session != nullptr
                          ? SSL_read(session, piece, sizeof piece)
                          : static_cast<int>(::recv(descriptor, piece, sizeof piece, 0));
    if (count <= 0) return false;
    received.append(piece, static_cast<std::size_t>(count));
    return true;
  }
};

namespace {

void use_certificate(SSL_CTX* context, const TlsClientOptions& options) {
  if (options.certificate_pem.empty()) return;
  BIO* in = BIO_new_mem_buf(options.certificate_pem.data(), -1);
  X509* certificate = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  in = BIO_new_mem_buf(options.key_pem.data(), -1);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  in = BIO_new_mem_buf(options.chain_pem.data(), static_cast<int>(options.chain_pem.size()));
  while (X509* link = PEM_read_bio_X509(in, nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(context, link);
  }
  BIO_free(in);
}

}  // namespace

TlsClient::TlsClient(std::uint16_t port, const TlsClientOptions& options)
    : impl_(std::make_unique<Impl>()) {
  // OpenSSL's own socket BIO raises it. The server under test runs on another thread.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);

  impl_->descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{10, 0};
  ::setsockopt(impl_->descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!options.from.empty()) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    ::inet_pton(AF_INET, options.from.c_str(), &own.sin_addr);
    ::bind(impl_->descriptor, reinterpret_cast<sockaddr*>(&own), sizeof own);
  }
  impl_->good =
      ::connect(impl_->descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (!impl_->good || !options.tls) return;

  impl_->context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(impl_->context, TLS1_VERSION);
  if (options.max_version != 0) {
    SSL_CTX_set_max_proto_version(impl_->context, options.max_version);
  }
  const std::string ciphers = options.ciphers.empty() ? "ALL:@SECLEVEL=0" : options.ciphers;
  SSL_CTX_set_cipher_list(impl_->context, ciphers.c_str());
  if (!options.groups.empty()) SSL_CTX_set1_groups_list(impl_->context, options.groups.c_str());
  use_certificate(impl_->context, options);
  impl_->session = SSL_new(impl_->context);
  if (!options.server_name.empty()) {
    SSL_set_tlsext_host_name(impl_->session, options.server_name.c_str());
  }
  SSL_set_fd(impl_->session, impl_->descriptor);
  impl_->good = SSL_connect(impl_->session) == 1;
}

TlsClient::~TlsClient() {
  SSL_free(impl_->session);
  SSL_CTX_free(impl_->context);
  ::close(impl_->descriptor);
}

bool TlsClient::connected() const { return impl_->good; }

std::string TlsClient::peer_pem() const {
  X509* certificate = SSL_get0_peer_certificate(impl_->session);
  if (certificate == nullptr) return {};
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(out, certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(out);
  return text;
}

std::string TlsClient::cipher() const { return SSL_get_cipher_name(impl_->session); }
std::string TlsClient::protocol() const { return SSL_get_version(impl_->session); }

bool TlsClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count =
        impl_->session != nullptr
            ? SSL_write(impl_->session, bytes.data(), static_cast<int>(bytes.size()))
            : static_cast<int>(::send(impl_->descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool TlsClient::renegotiate() {
  SSL_renegotiate(impl_->session);
  return SSL_do_handshake(impl_->session) == 1 && impl_->receive();
}

std::string TlsClient::read_answer() {
  std::string& text = impl_->received;
  std::size_t head = std::string::npos;
  while ((head = text.find("\r\n\r\n")) == std::string::npos) {
    if (!impl_->receive()) return std::exchange(text, std::string());
  }
  const auto field = text.find("Content-Length: ");
  const bool until_end = field == std::string::npos || field > head;
  const std::size_t size =
      head + 4 + (until_end ? 0 : static_cast<std::size_t>(std::atol(text.c_str() + field + 16)));
  while (until_end || text.size() < size) {
    if (!impl_->receive()) break;
  }
  std::string answer = text.substr(0, until_end ? std::string::npos : size);
  text.erase(0, answer.size());
  return answer;
}

bool TlsClient::readable() const {
  pollfd descriptor{impl_->descriptor, POLLIN, 0};
  return ::poll(&descriptor, 1, 0) > 0;
}

bool TlsClient::closed_by_server() {
  if (!impl_->received.empty()) return false;
  errno = 0;
  return !impl_->receive() && errno != EAGAIN && errno != EWOULDBLOCK;
}

std::string TlsClient::ask(std::string_view bytes) {
  send(bytes);
  return read_answer();
}

}  // namespace ccm::test
