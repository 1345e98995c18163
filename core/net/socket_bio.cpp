#include "net/socket_bio.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace ccm::net {
namespace {

// The descriptor is kept in the BIO's pointer slot, so that a BIO costs no allocation of ours.
int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int on_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count = 0;
  do {
    count = recv(descriptor_of(bio), data, static_cast<std::size_t>(size), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int on_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count = 0;
  do {
    count = send(descriptor_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long on_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_read(made, on_read);
    BIO_meth_set_write(made, on_write);
    BIO_meth_set_ctrl(made, on_control);
    return made;
  }();
  return method;
}

}  // namespace

Openssl<BIO> make_socket_bio(int descriptor) {
  Openssl<BIO> bio(BIO_new(socket_method()));
  if (bio) {
    BIO_set_data(bio.get(), reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
    BIO_set_init(bio.get(), 1);
  }
  return bio;
}

}  // namespace ccm::net
