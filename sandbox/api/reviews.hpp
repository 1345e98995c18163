#pragma once

#include "api/authorization.hpp"
#include "api/request_info.hpp"

namespace sandbox {

// POST of a TokenReview, SubjectAccessReview or SelfSubjectAccessReview (API-119 to API-122);
// nothing if `info` names none of them. Throws ApiError.
std::optional<http::Response> review_answer(const Authenticator& authenticator,
                                            const Authorizer& authorizer, const User& user,
                                            const RequestInfo& info, const http::Request& request);

// POST serviceaccounts/NAME/token (API-84).
http::Response token_request(const Store& store, const Authenticator& authenticator,
                             const RequestInfo& info, const http::Request& request);

}  // namespace sandbox
