#include "plugin/plugin_file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ccm::plugin {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Status from_errno(int error) {
  const std::string text = std::generic_category().message(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Status(Code::not_found, "does not exist; correct the path or install the plugin");
    case EACCES:
    case EPERM:
      return Status(Code::permission_denied,
                    "cannot be opened: " + text + "; let this user read it");
    case ELOOP:
      return Status(Code::invalid_argument, "is a symbolic link; name the file that it points to");
    default:
      return Status(Code::unavailable, "cannot be opened: " + text);
  }
}

}  // namespace

Result<PluginFile> PluginFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO or device must not hold us up before fstat has told what it is.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (fd.get() < 0) return from_errno(errno);
  PluginFile file;
  if (::fstat(fd.get(), &file.status_) != 0) return from_errno(errno);
  if (S_ISDIR(file.status_.st_mode)) {
    return Status(Code::invalid_argument, "is a folder; name the .so file in it");
  }
  if (!S_ISREG(file.status_.st_mode)) {
    return Status(Code::invalid_argument, "is not a regular file; name a .so file");
  }
  const auto size = static_cast<size_t>(file.status_.st_size);
  if (size == 0) return Status(Code::invalid_argument, "is empty; copy or install it anew");
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (start == MAP_FAILED) return from_errno(errno);
  file.bytes_ = Bytes(static_cast<const std::byte*>(start), size);
  return file;
}

PluginFile::PluginFile(PluginFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), status_(other.status_) {}

PluginFile& PluginFile::operator=(PluginFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(status_, other.status_);
  return *this;
}

PluginFile::~PluginFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

std::string sha256_hex(Bytes bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return {};
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4U];
    text += kDigits[digest[i] & 0xFU];
  }
  return text;
}

}  // namespace ccm::plugin
