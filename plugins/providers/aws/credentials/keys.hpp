// What signs a call. Plain values.
#pragma once

#include <ccm/secret.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::aws {

struct Keys {
  std::string access_key_id;
  Secret secret_access_key;
  Secret session_token;  // empty for keys that last
  // By the wall clock; max() = they do not end.
  std::chrono::milliseconds expires_at = std::chrono::milliseconds::max();

  [[nodiscard]] bool complete() const {
    return !access_key_id.empty() && !secret_access_key.empty();
  }
  friend bool operator==(const Keys&, const Keys&) = default;
};
using KeysPtr = std::shared_ptr<const Keys>;

}  // namespace ccm::aws
