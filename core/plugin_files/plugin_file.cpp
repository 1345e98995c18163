#include "plugin_files/plugin_file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ccm::plugin {
namespace {

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

Result<std::shared_ptr<const OpenFile>> OpenFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO or device must not hold us up before fstat has told what it is.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return from_errno(errno);
  const std::shared_ptr<const OpenFile> file(new OpenFile(descriptor));
  const auto status = file->status();
  if (!status.ok()) return status.status();
  if (S_ISDIR(status->st_mode)) {
    return Status(Code::invalid_argument, "is a folder; name the .so file in it");
  }
  if (!S_ISREG(status->st_mode)) {
    return Status(Code::invalid_argument, "is not a regular file; name a .so file");
  }
  if (status->st_size == 0) {
    return Status(Code::invalid_argument, "is empty; copy or install it again");
  }
  return file;
}

OpenFile::~OpenFile() { ::close(descriptor_); }

std::string OpenFile::own_path() const {
  std::error_code error;
  const std::filesystem::path process = std::filesystem::read_symlink("/proc/self", error);
  const std::string folder = error ? "/proc/self" : "/proc/" + process.string();
  return folder + "/fd/" + std::to_string(descriptor_);
}

Result<struct stat> OpenFile::status() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return from_errno(errno);
  return status;
}

bool OpenFile::is_noexec() const {
  struct statvfs status {};
  return ::fstatvfs(descriptor_, &status) == 0 && (status.f_flag & ST_NOEXEC) != 0;
}

Result<PluginFile> PluginFile::map(const OpenFile& file) {
  const auto status = file.status();
  if (!status.ok()) return status.status();
  const auto size = static_cast<size_t>(status->st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (start == MAP_FAILED) return from_errno(errno);
  return PluginFile(Bytes(static_cast<const std::byte*>(start), size));
}

PluginFile::PluginFile(PluginFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

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
