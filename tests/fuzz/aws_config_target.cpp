// --cloud-config and the shared files of AWS's tools (plugins/providers/aws/config).
// Input: the text of a file.
// Properties: messages and warnings are one line each and show no value of the shared files; what
// was read of a cloud config is read again as the same.
#include "aws/config/cloud_config.hpp"
#include "aws/config/profiles.hpp"
#include "fuzz.hpp"

#include <string>

namespace ccm::fuzz {
namespace {

constexpr std::string_view kSecret = "Ki8Rarely-typed";

void check_message(std::string_view line, std::string_view input) {
  require(line.find('\n') == line.npos, "a message is one line");
  const bool known_otherwise = input.find(kSecret) != input.npos;
  require(known_otherwise || line.find(kSecret) == line.npos, "no message shows a secret");
}

}  // namespace

void aws_config_target(std::string_view bytes) {
  const Exact text(bytes);
  const auto config = aws::read_cloud_config(text.view());
  if (config.ok()) {
    for (const std::string& warning : config->warnings) check_message(warning, bytes);
    const auto again = aws::read_cloud_config(text.view());
    require(again.ok() && again->settings.same_access(config->settings), "reads are the same");
  } else {
    check_message(config.status().message(), bytes);
  }
  const std::string with_secret =
      std::string(bytes) + "\n[x]\naws_secret_access_key = " + std::string(kSecret) + "\n";
  const auto profiles = aws::Profiles::parse(text.view(), with_secret);
  if (!profiles.ok()) return check_message(profiles.status().message(), bytes);
  const aws::Profile* found = profiles->find("x");
  require(found != nullptr, "a profile is found");
  require_equal(std::string(kSecret), aws::setting(*found, "aws_secret_access_key"),
                "with its last value");
}

}  // namespace ccm::fuzz
