// Small helpers of configuration and credentials, here and in core/serving.
#pragma once

#include <ccm/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::kube {

// Whole content of a regular file of at most 4 MiB. Blocks. Failure: failed_precondition with the
// path and the system's reason.
Result<std::string> read_file(const std::string& path);

// Changes when a file is replaced or written; with equal stamps there is no need to read it again.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = -1;
  int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
FileStamp file_stamp(const std::string& path);  // all zero and size -1 when stat() fails

std::string base64_encode(std::string_view bytes);
// White space is skipped; nothing when the text is not base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace ccm::kube
