// An HTTP exchange for which the calling thread waits.
#include "plugin/host_services/http_service.hpp"

#include <ccm/sized.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

// An answer on its way from the loop to the thread that waits for it.
struct AwaitedAnswer {
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<Status> status;
  bool has_response = false;
  uint32_t status_code = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  static void take(void* owner, uint64_t, const ccm_status* status, const void* result) {
    auto& self = *static_cast<AwaitedAnswer*>(owner);
    const std::lock_guard lock(self.mutex);
    if (result != nullptr) {
      const auto& response = *static_cast<const ccm_http_response*>(result);
      self.has_response = true;
      self.status_code = response.status_code;
      self.body = view(response.body);
      for (std::size_t index = 0; index < response.header_count; ++index) {
        const ccm_key_value& header = response.headers[index];
        self.headers.emplace_back(view(header.key), view(header.value));
      }
    }
    self.status = Status::from_c(status);
    self.arrived.notify_one();  // under the lock: the waiting thread destroys this
  }

  void pass_on(ccm_completion done) const {
    std::vector<ccm_key_value> raw_headers;
    raw_headers.reserve(headers.size());
    for (const auto& [key, value] : headers) raw_headers.push_back({c_str(key), c_str(value)});
    auto response = sized<ccm_http_response>();
    response.status_code = status_code;
    response.headers = raw_headers.data();
    response.header_count = raw_headers.size();
    response.body = c_str(body);
    const ccm_status raw = status->to_c();
    done.fn(done.owner, done.operation, &raw, has_response ? &response : nullptr);
  }
};

}  // namespace

void HttpService::send_wait(void* self, ccm_ctx ctx, const ccm_http_request* request,
                            ccm_completion done) noexcept {
  const auto component = static_cast<HttpService*>(self)->component();
  if (done.fn == nullptr) return;
  if (component && !component->check_thread(ThreadTag::worker, "http.send_wait")) {
    const Status wrong =
        Status(Code::failed_precondition, "http.send_wait was called on the host's loop")
            .with_reason(CCM_REASON_WRONG_THREAD);
    const ccm_status raw = wrong.to_c();
    return done.fn(done.owner, done.operation, &raw, nullptr);
  }
  AwaitedAnswer answer;
  send(self, ctx, request, {&AwaitedAnswer::take, &answer, 0});
  std::unique_lock lock(answer.mutex);
  answer.arrived.wait(lock, [&answer] { return answer.status.has_value(); });
  lock.unlock();
  answer.pass_on(done);
}

}  // namespace ccm::plugin
