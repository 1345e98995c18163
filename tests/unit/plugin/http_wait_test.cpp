// ccm_host_http.send_wait: an exchange for which the calling thread waits.
#include "plugin/host_services/http_service.hpp"
#include "test_runtime.hpp"

#include <atomic>
#include <deque>
#include <thread>

namespace ccm::plugin {
namespace {

// The result of send_wait, on the thread that called it.
struct Waited {
  std::atomic<bool> returned{false};
  int calls = 0;
  Status status;
  std::string text;
  std::thread::id completed_on;
  static void done(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
    auto& self = *static_cast<Waited*>(owner);
    EXPECT_EQ(operation, 9u);
    ++self.calls;
    self.status = Status::from_c(status);
    self.completed_on = std::this_thread::get_id();
    if (result == nullptr) return;
    const auto& response = *static_cast<const ccm_http_response*>(result);
    self.text = std::to_string(response.status_code) + " " + std::string(view(response.body));
    for (std::size_t index = 0; index < response.header_count; ++index) {
      self.text += " " + std::string(view(response.headers[index].key)) + "=" +
                   std::string(view(response.headers[index].value));
    }
  }
};

class HttpWaitTest : public PluginHostTest {
 protected:
  // A worker may still be on its way out of its operation.
  void TearDown() override {
    if (component_) poll_until([&] { return component_->operations()->in_flight() == 0; });
  }
  void add_services(ComponentHost& host) override {
    HttpServiceOptions options;
    options.send = [this](net::Request request, std::function<void(Result<net::Response>)> done) {
      EXPECT_TRUE(loop_.on_loop());
      stops_.push_back(request.stop);
      open_.push_back(std::move(done));
    };
    options.budgets = &budgets_;
    host.add(std::make_unique<HttpService>(component_, std::move(options)));
  }
  void send_wait(Waited& waited, ccm_ctx ctx) {
    const ccm_host_http* http = nullptr;
    const ccm_interface service = plugin_.service(CCM_HOST_HTTP, &http);
    auto request = sized<ccm_http_request>();
    request.url = c_str("https://api.example/x");
    request.max_tries = 1;
    http->send_wait(service.self, ctx, &request, {&Waited::done, &waited, 9});
  }
  // A blocking operation that does nothing else.
  void call_waiting(Waited& waited, std::chrono::milliseconds timeout = 30s,
                    std::shared_ptr<Context> parent = nullptr) {
    call(
        [&](ccm_ctx ctx, ccm_completion done) {
          send_wait(waited, ctx);
          EXPECT_EQ(waited.completed_on, std::this_thread::get_id());
          const Status status = waited.status;
          waited.returned = true;  // the test may go on, and end
          complete(done, status);
        },
        timeout, std::move(parent));
    poll_until([&] { return !open_.empty(); });
    ASSERT_FALSE(open_.empty());
    EXPECT_FALSE(waited.returned);
  }

  CallBudgets budgets_{timers_};
  std::deque<std::function<void(Result<net::Response>)>> open_;
  std::vector<std::stop_token> stops_;
};

TEST_F(HttpWaitTest, AWorkerGetsTheWholeAnswerBeforeTheCallReturns) {
  ASSERT_TRUE(create(false).ok());
  Waited waited;
  call_waiting(waited);
  net::Response response;
  response.status = 404;
  response.headers = {{"X-One", "1"}, {"X-Two", "2"}};
  response.body = "nothing";
  open_[0](response);
  poll_until([&] { return outcome_.has_value(); });
  EXPECT_TRUE(waited.status.ok());
  EXPECT_EQ(waited.text, "404 nothing x-one=1 x-two=2");
  EXPECT_EQ(waited.calls, 1);
  EXPECT_EQ(component_->wrong_thread_calls(), 0u);
}

TEST_F(HttpWaitTest, AFailureIsGivenToo) {
  ASSERT_TRUE(create(false).ok());
  Waited waited;
  call_waiting(waited);
  open_[0](Status(Code::unavailable, ErrorClass::unavailable, "reset"));
  poll_until([&] { return outcome_.has_value(); });
  EXPECT_EQ(waited.status.code(), Code::unavailable);
  EXPECT_EQ(waited.status.error_class(), ErrorClass::unavailable);
  EXPECT_EQ(waited.text, "");
}

TEST_F(HttpWaitTest, R_15_OnTheLoopItIsRefusedAtOnce) {
  ASSERT_TRUE(create(true).ok());
  Waited waited;
  loop_.post([&] {
    call([&](ccm_ctx ctx, ccm_completion done) {
      send_wait(waited, ctx);
      waited.returned = true;
      complete(done);
    });
  });
  poll();
  EXPECT_TRUE(waited.returned);
  EXPECT_EQ(waited.calls, 1);
  EXPECT_EQ(waited.status.code(), Code::failed_precondition);
  EXPECT_EQ(waited.status.reason(), CCM_REASON_WRONG_THREAD);
  poll();
  EXPECT_TRUE(open_.empty()) << "nothing was sent";
  EXPECT_EQ(component_->wrong_thread_calls(), 1u);
}

TEST_F(HttpWaitTest, ItEndsWithItsDeadline) {
  ASSERT_TRUE(create(false).ok());
  Waited waited;
  call_waiting(waited, 2s);
  advance(2s);
  poll_until([&] { return waited.returned.load(); });
  EXPECT_EQ(waited.status.code(), Code::deadline_exceeded);
  EXPECT_TRUE(stops_.at(0).stop_requested());
}

TEST_F(HttpWaitTest, ItEndsWithItsCaller) {
  ASSERT_TRUE(create(false).ok());
  const auto parent = component_->background()->child(std::nullopt);
  Waited waited;
  call_waiting(waited, 30s, parent);
  std::thread outside([&] { parent->cancel(); });
  outside.join();
  poll_until([&] { return waited.returned.load(); });
  EXPECT_EQ(waited.status.code(), Code::cancelled);
  EXPECT_EQ(waited.calls, 1);
  open_[0](net::Response());
  poll();
  EXPECT_EQ(waited.calls, 1) << "a late answer finds nobody";
}

TEST_F(HttpWaitTest, TheEndOfTheComponentEndsTheWait) {
  ASSERT_TRUE(create(false).ok());
  Waited waited;
  call_waiting(waited);
  std::optional<Status> destroyed;
  component_->destroy(10s, [&](Status status) { destroyed = status; });
  poll_until([&] { return destroyed.has_value(); });
  ASSERT_TRUE(destroyed);
  EXPECT_TRUE(destroyed->ok()) << destroyed->message();
  EXPECT_TRUE(waited.returned);
  EXPECT_EQ(waited.status.code(), Code::cancelled);
  EXPECT_EQ(plugin_.destroyed, 1);
}

// A thread of the plugin's own, in a non-blocking plugin; then one that comes after the end.
TEST_F(HttpWaitTest, AThreadOfThePluginsOwnMayWait) {
  ASSERT_TRUE(create(true).ok());
  Waited waited, stray;
  std::thread own([&] {
    send_wait(waited, {});
    waited.returned = true;
  });
  poll_until([&] { return !open_.empty(); });
  ASSERT_FALSE(open_.empty());
  open_[0](net::Response());
  poll_until([&] { return waited.returned.load(); });
  own.join();
  EXPECT_TRUE(waited.status.ok());
  component_->destroy(1s, [](const Status&) {});
  poll();
  std::thread late([&] { send_wait(stray, {}); });
  late.join();
  EXPECT_EQ(stray.status.code(), Code::failed_precondition);
  EXPECT_EQ(stray.calls, 1);
}

TEST_F(HttpWaitTest, R_44_ACtxThatIsOverIsRefused) {
  ASSERT_TRUE(create(false).ok());
  Waited waited;
  ccm_ctx over{};
  call([&](ccm_ctx ctx, ccm_completion done) {
    over = ctx;
    complete(done);
  });
  poll_until([&] { return outcome_ && component_->operations()->in_flight() == 0; });
  std::thread own([&] {
    send_wait(waited, over);
    waited.returned = true;
  });
  poll_until([&] { return waited.returned.load(); });
  own.join();
  EXPECT_EQ(waited.status.reason(), CCM_REASON_CONTEXT_ENDED) << waited.status.message();
  EXPECT_TRUE(open_.empty());
}

}  // namespace
}  // namespace ccm::plugin
