// Small things that configuration and credentials share, here and in core/serving.
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

// What changes when a file is replaced or written; equal stamps mean that reading again is
// needless.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = -1;
  int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
FileStamp file_stamp(const std::string& path);  // all zero and size -1 when it cannot be looked at

std::string base64_encode(std::string_view bytes);
// White space is skipped; nothing when the text is no base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace ccm::kube
