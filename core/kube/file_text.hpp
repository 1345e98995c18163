// Files that are read whole and re-read when they change.
#pragma once

#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ccm::kube {

// The whole content of a regular file of at most `limit` bytes. Blocks. Failures: not_found,
// permission_denied, resource_exhausted above the limit, unavailable for all else; the message is
// "read PATH: REASON".
Result<std::string> read_whole_file(const std::string& path, std::size_t limit);
// read_whole_file() of a file that the operator alone can have written: it belongs to root or to
// this process' user, and nobody else may write it. Failure besides: permission_denied.
Result<std::string> read_operators_file(const std::string& path, std::size_t limit);
// The whole content of a file of at most 4 MiB. Failure: failed_precondition, "cannot read PATH:
// REASON".
Result<std::string> read_file(const std::string& path);

// Changes when a file is replaced or written; with equal stamps there is no need to read it again.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = -1;
  int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
  [[nodiscard]] bool exists() const { return size >= 0; }
};
// Does not exist() when stat() fails or the path is empty.
FileStamp file_stamp(const std::string& path);

}  // namespace ccm::kube
