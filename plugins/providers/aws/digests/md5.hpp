// MD5 (RFC 1321), for one label of Nodes alone: the Go manager writes it, and a Node that has it is
// left alone. Nothing here is a secret or a signature. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace ccm::aws {

// 32 lower-case hexadecimal digits.
std::string md5_hex(std::string_view message);

}  // namespace ccm::aws
