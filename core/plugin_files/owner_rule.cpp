#include "plugin_files/owner_rule.hpp"

#include "plugin_files/text.hpp"

namespace ccm::plugin {

std::optional<RuleFault> owner_fault(const std::filesystem::path& path, const struct stat& status,
                                     uid_t uid) {
  if (status.st_uid == 0 || status.st_uid == uid) return std::nullopt;
  return RuleFault{"belongs to " + user_name(status.st_uid) + ", not to root or " + user_name(uid),
                   "run chown root " + path.string()};
}

bool others_can_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

std::string mode_text(const struct stat& status) {
  std::string digits;
  for (unsigned shift = 12; shift > 0; shift -= 3) {
    digits += static_cast<char>('0' + ((status.st_mode >> (shift - 3)) & 7U));
  }
  return digits;
}

std::optional<RuleFault> file_fault(const std::filesystem::path& path, const struct stat& status,
                                    uid_t uid) {
  if (auto fault = owner_fault(path, status, uid)) return fault;
  if (!others_can_write(status)) return std::nullopt;
  return RuleFault{"can be written by others than its owner (mode " + mode_text(status) + ")",
                   "run chmod go-w " + path.string()};
}

}  // namespace ccm::plugin
