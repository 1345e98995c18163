#include "plugin_files/plugin_file.hpp"

#include <ccm/hexadecimal.hpp>
#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace ccm::plugin_files {

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
  return hexadecimal({reinterpret_cast<const char*>(digest.data()), size});
}

namespace {

constexpr std::size_t kSumLength = 64;
constexpr std::string_view kLineBlanks = " \t\r";

bool is_sum(std::string_view text) {
  return text.size() == kSumLength &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

Status Pins::add(std::string_view text) {
  text = trim(text, kLineBlanks);
  const std::size_t equals = text.find('=');
  const std::string_view id = trim(text.substr(0, equals), kLineBlanks);
  const std::string_view sum = equals == std::string_view::npos
                                   ? std::string_view{}
                                   : trim(text.substr(equals + 1), kLineBlanks);
  if (id.empty() || !is_sum(sum)) {
    return Status(Code::invalid_argument,
                  "\"" + std::string(text) +
                      "\" is no ID=SUM with a plugin's id and the 64 hexadecimal digits of a "
                      "SHA-256 sum; ccmctl plugin list --pins prints them");
  }
  std::string lower = lower_case(sum);
  auto& sums = sums_[std::string(id)];
  if (std::find(sums.begin(), sums.end(), lower) == sums.end()) sums.push_back(std::move(lower));
  return {};
}

Status Pins::read(const std::filesystem::path& file) {
  std::ifstream lines(file);
  const auto unreadable = [&file] {
    return Status(Code::not_found, file.string() + " cannot be read: " +
                                       std::generic_category().message(errno == 0 ? EIO : errno));
  };
  if (!lines) return unreadable();
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view text =
        trim(std::string_view(line).substr(0, line.find('#')), kLineBlanks);
    if (text.empty()) continue;
    if (Status status = add(text); !status.ok()) {
      return status.with_context(file.string() + ":" + std::to_string(number));
    }
  }
  if (lines.bad()) return unreadable();
  if (empty()) {
    return Status(Code::invalid_argument,
                  file.string() + " names no plugin; ccmctl plugin list --pins prints the lines");
  }
  return {};
}

const std::vector<std::string>* Pins::find(std::string_view id) const {
  const auto place = sums_.find(id);
  return place == sums_.end() ? nullptr : &place->second;
}

std::string pin_line(std::string_view id, std::string_view sha256, std::string_view file) {
  return std::string(id) + "=" + std::string(sha256) + "  # " + std::string(file);
}

}  // namespace ccm::plugin_files
