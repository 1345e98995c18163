// Reading the JSON of clouds with nlohmann's library, which whoever includes this brings: within
// limits, so that no answer costs more memory than its bytes deserve. [any-thread]
#pragma once

#include <ccm/json_limits.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <string_view>
#include <utility>

namespace ccm {

// The value of a JSON text. `keep` may drop members while they are read, as nlohmann's parser
// defines it; what it drops counts as well. Failures: those of check_json(); data_loss, "is not
// JSON". Always from a view: each kind of source that is parsed is another parser in the plugin.
template <typename Json = nlohmann::json>
Result<Json> read_json(std::string_view text, const JsonLimits& limits = {},
                       const typename Json::parser_callback_t& keep = nullptr) {
  if (Status beyond = check_json(text, limits); !beyond.ok()) return beyond;
  Json value = Json::parse(text, keep, false);
  if (value.is_discarded()) return Status(Code::data_loss, "is not JSON");
  return value;
}

}  // namespace ccm
