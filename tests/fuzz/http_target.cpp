// HTTP answers (net/http_exchange.hpp) through the client's own exchange over a socket pair, and
// what an API server's failure means (kube/client.hpp).
// Input: a byte of choices, a byte that says where to cut, the bytes that the server sends before
// it closes.
// Properties: how the bytes are cut changes nothing; limits hold; an answer that ended is the same
// whether it is read whole or as a stream; a failure has a sensible delay.
#include "fuzz.hpp"
#include "kube/client.hpp"
#include "kube/client_status.hpp"
#include "net/http_exchange.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace ccm::fuzz {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kSmallBody = 100;

struct Heard {
  bool over = false;
  Status status;
  net::Response response;
  bool done = false;
  bool reusable = false;
};

asio::awaitable<void> talk(net::Connection* connection, const net::Request* request, bool whole,
                           std::size_t max_body, Heard* heard) {
  net::Scratch scratch;
  net::ResponseReader reader(request->method == "HEAD", whole ? max_body : 0);
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  net::ExchangeOutcome outcome =
      co_await net::exchange(connection, request, head, &reader, &scratch, whole);
  heard->status = outcome.status;
  std::string body;
  while (!whole && heard->status.ok() && !reader.done()) {
    body += std::exchange(reader.response().body, std::string());
    heard->status = co_await reader.receive_some(connection, &scratch);
  }
  heard->response = reader.response();
  heard->response.body.insert(0, body);
  heard->done = reader.done();
  heard->reusable = reader.reusable(*connection);
  heard->over = true;
}

class Pair {
 public:
  Pair() {
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) == 0, "socketpair");
  }
  ~Pair() { ::close(ends_[1]); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  [[nodiscard]] int ours() const { return ends_[0]; }
  // False when nobody reads any more.
  bool say(std::string_view text) const {
    return ::send(ends_[1], text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(text.size());
  }
  // Orderly, while the request lies there unread.
  void end() const { ::shutdown(ends_[1], SHUT_WR); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

Heard hear(std::string_view answer, uint8_t cuts, const net::Request& request, bool whole,
           std::size_t max_body) {
  Heard heard;
  asio::io_context loop(1);
  Pair pair;
  net::Transport::Socket socket(loop);
  socket.assign(asio::ip::tcp::v4(), pair.ours());
  net::Connection connection;
  connection.transport = std::make_shared<net::Transport>(std::move(socket));
  asio::co_spawn(loop, talk(&connection, &request, whole, max_body, &heard), asio::detached);
  loop.poll();
  for (const std::string& piece : cut(answer, cuts)) {
    if (heard.over || !pair.say(piece)) break;
    loop.restart();
    loop.poll();
  }
  pair.end();
  for (int i = 0; i < 1000 && !heard.over; ++i) {
    loop.restart();
    loop.poll();
  }
  require(heard.over, "an exchange comes to an end");
  connection.transport->close();
  loop.restart();
  loop.poll();
  return heard;
}

// A header that has too many fields and no end is seen as the one or as the other.
Code failure_of(const Heard& heard) {
  const bool too_large = heard.status.code() == Code::resource_exhausted;
  return too_large && heard.response.headers.size() == net::kMaxHeaderFields ? Code::unavailable
                                                                             : heard.status.code();
}

void compare(const Heard& left, const Heard& right, bool leftover_too) {
  // Not the same message: garbage in a header that does not end is seen at once, or at its end.
  require(failure_of(left) == failure_of(right), "the same failure however cut");
  require(left.done == right.done, "done() however cut");
  if (leftover_too) require(left.reusable == right.reusable, "reusable() however cut");
  if (!left.status.ok()) return;
  require(left.response.status == right.response.status, "the same status however cut");
  require_equal(left.response.body, right.response.body, "the same body however cut");
  require(left.response.headers.size() == right.response.headers.size(), "as many headers");
  for (std::size_t i = 0; i < left.response.headers.size(); ++i) {
    require_equal(left.response.headers[i].value, right.response.headers[i].value, "a header");
  }
}

void check_meaning(const net::Response& response) {
  const Status status =
      kube::status_of_answer(response.status, response.body, response.header("Retry-After"));
  require(!status.ok() && !status.message().empty(), "a failed answer is a failure");
  require(status.retry_after().count() >= 0 && status.retry_after() <= std::chrono::hours(24),
          "nobody waits for more than a day");
}

}  // namespace

void http_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  const uint8_t cuts = input.byte();
  net::Request request;
  if ((choices & 1U) != 0) request.method = "HEAD";
  const std::size_t limit = (choices & 2U) != 0 ? kSmallBody : std::size_t{1} << 20U;
  const std::string_view answer = input.rest().substr(0, 64U << 10U);
  const Heard whole = hear(answer, 0, request, true, limit);
  const Heard cut = hear(answer, cuts, request, true, limit);
  // Bytes after an answer show only when they arrive with it.
  compare(whole, cut, false);
  require(whole.response.body.size() <= limit, "the body keeps to its limit");
  require(whole.response.headers.size() <= net::kMaxHeaderFields, "as many fields as allowed");
  require(cut.response.headers.size() <= net::kMaxHeaderFields, "as many fields, however cut");
  if (whole.status.ok()) {
    require(whole.done, "a whole answer has its end");
    const Heard stream = hear(answer, cuts, request, false, 0);
    compare(whole, stream, false);
  }
  check_meaning(whole.response);
}

}  // namespace ccm::fuzz
