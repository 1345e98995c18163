#include "endpoint.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace ccm::bench {
namespace {

using boost::asio::ip::tcp;

// The kernel does not give the same port to another program so soon.
std::uint16_t free_port() {
  boost::asio::io_context io;
  return tcp::acceptor(io, {boost::asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

}  // namespace

Endpoint::Endpoint(const ManagerSettings& settings)
    : port_(free_port()),
      folder_(settings.log + ".serving"),
      reviews_(settings.manager_kubeconfig) {
  std::filesystem::create_directories(folder_);
}

std::vector<std::string> Endpoint::flags() const {
  return {"--bind-address=127.0.0.1", "--secure-port=" + std::to_string(port_),
          "--cert-dir=" + folder_.string(), "--authentication-kubeconfig=" + reviews_,
          "--authorization-kubeconfig=" + reviews_};
}

Server Endpoint::server(Server admin) const {
  admin.host = "127.0.0.1";
  admin.port = std::to_string(port_);
  admin.ca_pem = read_file(folder_ / "cloud-controller-manager.crt");
  return admin;
}

}  // namespace ccm::bench
