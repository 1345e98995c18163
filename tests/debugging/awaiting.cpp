// Two chains of coroutines, of the kinds that this project has: each is suspended, so that a
// backtrace shows only its innermost one.
#include <ccm/task.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <coroutine>

namespace asio = boost::asio;

extern "C" void here() {}

namespace {

std::coroutine_handle<> asked;

struct Answer {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) const { asked = waiting; }
  void await_resume() const {}
};

struct Start {
  struct promise_type {
    Start get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

ccm::Task<int> read_zone() {
  co_await Answer{};
  here();
  co_return 1;
}
// A member function: GCC says nothing of the frames of these.
struct Provider {
  ccm::Task<int> read_instance();
};
ccm::Task<int> Provider::read_instance() { co_return co_await read_zone(); }
ccm::Task<void> initialize_node() {
  Provider provider;
  co_await provider.read_instance();
}
Start reconcile() { co_await initialize_node(); }

asio::awaitable<void> read_body() {
  co_await asio::post(asio::use_awaitable);
  here();
}
struct Client {
  asio::awaitable<void> send_request();
};
asio::awaitable<void> Client::send_request() { co_await read_body(); }
asio::awaitable<void> read_lease(Client& client) { co_await client.send_request(); }

}  // namespace

int main() {
  reconcile();
  asked.resume();
  asio::io_context loop;
  Client client;
  asio::co_spawn(loop, read_lease(client), asio::detached);
  loop.run();
}
