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

using Check = Status (*)(const std::string& path, const struct stat& about);

Status check_writers(const std::string& path, const struct stat& about) {
  if (about.st_uid != 0 && about.st_uid != ::geteuid()) {
    return {Code::permission_denied,
            "read " + path + ": it belongs neither to root nor to this program's user"};
  }
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return {Code::permission_denied, "read " + path + ": others than its owner may write it"};
}

Result<std::string> read_checked(const std::string& path, std::size_t limit, Check check) {
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
  if (Status status = check != nullptr ? check(path, about) : Status(); !status.ok()) return status;
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

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  return read_checked(path, limit, nullptr);
}

Result<std::string> read_operators_file(const std::string& path, std::size_t limit) {
  return read_checked(path, limit, check_writers);
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
