// One object of /statusz as text for a terminal. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace ccm::ctl {

// A member of `object` as text, with control characters replaced; empty when absent.
std::string member(const nlohmann::json& object, const char* name);

// A member of `object` that is an object or a list; an empty object when absent.
const nlohmann::json& part(const nlohmann::json& object, const char* name);

// Somebody may have to act: it failed, is held, or lacks a permission.
bool is_fault(const nlohmann::json& object);

// "CreateLoadBalancer 422, class invalid-spec, request req-7, 12s ago"; empty without an answer.
std::string cloud_answer_text(const nlohmann::json& object, std::string_view now);

// "3m12s" from one RFC 3339 time to the other; "?" when one of them is invalid.
std::string between(std::string_view from, std::string_view to);

// A few lines: state, since when, step, reason, the cloud's answer, attempts, next attempt.
std::string object_text(const nlohmann::json& object, std::string_view now);

// A few lines for the load balancer of a Service: id, addresses, whether it is left alone.
std::string load_balancer_text(const nlohmann::json& balancer, std::string_view now);

// Reason, age and message of each warning about an object of that kind; empty without any.
std::string warnings_text(const nlohmann::json& warnings, std::string_view kind,
                          std::string_view now);

}  // namespace ccm::ctl
