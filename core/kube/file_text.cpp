#include "kube/file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace ccm::kube {
namespace {

constexpr std::size_t kFileLimit = 4u << 20;
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Status failure(const std::string& path, int error) {
  const std::string text = "read " + path + ": " + std::generic_category().message(error);
  if (error == ENOENT || error == ENOTDIR) return {Code::not_found, text};
  if (error == EACCES || error == EPERM) return {Code::permission_denied, text};
  return {Code::unavailable, ErrorClass::unavailable, text};
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t limit) {
  // Without O_NONBLOCK a named pipe in place of a file would hang the program.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return failure(path, errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failure(path, errno);
  if (!S_ISREG(about.st_mode)) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "read " + path + ": it is not a regular file");
  }
  std::string content;
  std::array<char, 16384> block{};
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
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

std::string base64_encode(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t block = 0;
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      block = (block << 8) | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= have ? kAlphabet[(block >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  uint32_t block = 0;
  int bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    block = (block << 6) | static_cast<uint32_t>(digit);
    ++digits;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((block >> bits) & 0xff);
  }
  if (padding > 2 || (digits + padding) % 4 != 0) return std::nullopt;
  return out;
}

}  // namespace ccm::kube
