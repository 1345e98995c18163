// Ends operations of the fake host's services. Private to the testing library.
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/status.hpp>
#include <ccm/testing/fake_loop.hpp>

#include <string>
#include <utility>

namespace ccm::testing {

inline void complete(ccm_completion done, const Status& status, const void* result = nullptr) {
  const ccm_status raw = status.to_c();
  done.fn(done.owner, done.operation, &raw, result);
}

// Posts a failure: never inside the call that started the operation.
inline void post_failure(FakeLoop& loop, ccm_completion done, Status status) {
  loop.post([done, status = std::move(status)] { complete(done, status); });
}

inline Status unknown_request(const char* name) {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                std::string("the fake host does not know all of the request of ") + name)
      .with_reason(CCM_REASON_UNKNOWN_REQUEST);
}

// An operation cannot start with a ctx whose operation has ended.
inline Status stale_ctx() {
  return Status(Code::failed_precondition, "the ctx is not known any more")
      .with_reason(CCM_REASON_CONTEXT_ENDED);
}

}  // namespace ccm::testing
