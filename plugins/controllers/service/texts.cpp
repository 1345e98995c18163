#include "texts.hpp"

#include <algorithm>

namespace ccm::service {
namespace {

// Providers use the class `unavailable` for all that may be better later. A condition that does not
// hold yet, such as a Node that can take traffic, says nothing about the cloud's API.
ErrorClass class_to_report(const Status& status) {
  const bool later = status.error_class() == ErrorClass::unavailable;
  return later && status.code() == Code::failed_precondition ? ErrorClass::none
                                                             : status.error_class();
}

std::string_view next_step(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::invalid_spec:
      return "correct the Service; it is retried when it changes, and now and then";
    case ErrorClass::auth:
      return "check the manager's credential for the cloud and its rights; retrying";
    case ErrorClass::quota:
      return "raise the account's limit or delete what is not needed; it is retried when the "
             "Service changes, and now and then";
    case ErrorClass::throttled:
      return "the cloud limits the number of calls; retrying";
    case ErrorClass::unavailable:
      return "the cloud API is unavailable; retrying";
    case ErrorClass::unsupported:
      return "change the Service: this cloud cannot do it";
    case ErrorClass::waiting:
      return "no action is needed; it continues when the cloud is ready";
    case ErrorClass::none:
    case ErrorClass::conflict:
    case ErrorClass::not_found:
      break;
  }
  return "retrying";
}

}  // namespace

std::string class_words(ErrorClass error_class) {
  std::string words(name_of(error_class));
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

std::string failure_text(const Status& status) {
  const ErrorClass reported = class_to_report(status);
  std::string text = status.message();
  const std::string words = class_words(reported);
  if (!words.empty()) text += " (" + words + ")";
  return text + "; " + std::string(next_step(reported));
}

bool worth_reporting(const Status& status) {
  return status.code() != Code::cancelled && status.error_class() != ErrorClass::conflict;
}

}  // namespace ccm::service
