#include "kube/file_text.hpp"

#include "base/at_end.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace ccm::kube {
namespace {

constexpr std::size_t kFileLimit = 4u << 20;

Status failure(const std::string& path, int error) {
  const std::string text = "read " + path + ": " + std::generic_category().message(error);
  if (error == ENOENT || error == ENOTDIR) return {Code::not_found, text};
  if (error == EACCES || error == EPERM) return {Code::permission_denied, text};
  return {Code::unavailable, ErrorClass::unavailable, text};
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  // Without O_NONBLOCK a named pipe in place of a file would hang the program.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failure(path, errno);
  const AtEnd closing([file] { ::close(file); });
  struct stat about {};
  if (::fstat(file, &about) != 0) return failure(path, errno);
  if (!S_ISREG(about.st_mode)) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "read " + path + ": it is not a regular file");
  }
  std::string content;
  std::array<char, 16384> block{};
  while (true) {
    const ssize_t got = ::read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(path, errno);
    if (got == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > limit) {
      return Status(Code::resource_exhausted,
                    "read " + path + ": it is larger than " + std::to_string(limit) + " bytes");
    }
  }
}

Result<std::string> read_file(const std::string& path) {
  Result<std::string> content = read_whole_file(path, kFileLimit);
  if (content.ok()) return content;
  return Status(Code::failed_precondition, "cannot " + content.status().message());
}

FileStamp file_stamp(const std::string& path) {
  struct stat about {};
  if (path.empty() || ::stat(path.c_str(), &about) != 0) return {};
  return {about.st_dev, about.st_ino, about.st_size,
          int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec};
}

}  // namespace ccm::kube
