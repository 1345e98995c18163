// Shared by the fuzz targets: the list of them, how they take an input apart, and how they say
// that a property does not hold. A target has the form of libFuzzer's entry but belongs to no
// fuzzer: libfuzzer.cpp makes a fuzzer of one, replay.cpp runs files through any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::fuzz {

// One for each line in CMakeLists.txt; docs are at the head of each <name>_target.cpp.
void abi_target(std::string_view bytes);
void aws_target(std::string_view bytes);
void aws_config_target(std::string_view bytes);
void aws_metadata_target(std::string_view bytes);
void cloud_target(std::string_view bytes);
void cloud_conf_target(std::string_view bytes);
void clouds_target(std::string_view bytes);
void credential_target(std::string_view bytes);
void digitalocean_target(std::string_view bytes);
void elf_target(std::string_view bytes);
void flags_target(std::string_view bytes);
void http_target(std::string_view bytes);
void kubeconfig_target(std::string_view bytes);
void leader_migration_target(std::string_view bytes);
void lease_target(std::string_view bytes);
void manifest_target(std::string_view bytes);
void name_pattern_target(std::string_view bytes);
void neutron_target(std::string_view bytes);
void node_target(std::string_view bytes);
void object_target(std::string_view bytes);
void octavia_target(std::string_view bytes);
void openstack_target(std::string_view bytes);
void program_target(std::string_view bytes);
void protobuf_target(std::string_view bytes);
void serving_target(std::string_view bytes);
void static_configuration_target(std::string_view bytes);
void url_target(std::string_view bytes);
void watch_target(std::string_view bytes);
void work_target(std::string_view bytes);

// The input from its front: choices first, then text.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  // One byte, 0 at the end.
  uint8_t byte();
  // Up to the next newline, which is dropped.
  std::string_view line();
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// `text` cut into pieces at places that `seed` chooses: 0 = one piece, 1 = single bytes. The pieces
// put together are the text.
std::vector<std::string> cut(std::string_view text, uint8_t seed);

// A copy in memory of exactly that size, so that AddressSanitizer sees a read beyond its end.
class Exact {
 public:
  explicit Exact(std::string_view text) : bytes_(text.begin(), text.end()) {
    bytes_.shrink_to_fit();
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

// Ends the program with `what`, unless `holds`.
void require(bool holds, const char* what);
// Ends the program with `what` and both texts, unless they are equal.
void require_equal(std::string_view left, std::string_view right, const char* what);

}  // namespace ccm::fuzz
