// Commands that a file of the operator names (core/plugin/host_services/process_service.hpp).
// Input: a line, the command; then the text of a file.
// Properties: a failure shows nothing of the command; words that are quoted are the same words
// again; a command that a file names stands in it, and one that is added to it is named.
#include "fuzz.hpp"
#include "plugin/host_services/process_service.hpp"

#include <ccm/trim.hpp>

#include <string>

namespace ccm::fuzz {
namespace {

constexpr std::string_view kSetting = "credential_process";

std::string quoted(std::string_view word) {
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'') {
      result += R"('\'')";
    } else {
      result += c;
    }
  }
  return result + "'";
}

void check_words(std::string_view command) {
  const auto words = plugin::words_of(command);
  if (!words.ok()) {
    const std::string message = words.status().message();
    require(
        message == "a quote of the command has no end" || message == "the command names no program",
        "a failure shows nothing of the command");
    return;
  }
  require(!words->front().empty(), "a program has a name");
  std::string again;
  for (const std::string& word : *words) again += quoted(word) + " ";
  const auto same = plugin::words_of(again);
  require(same.ok() && *same == *words, "quoted words are the same again");
}

void check_names(std::string_view text, std::string_view command) {
  if (plugin::names_command(text, kSetting, command)) {
    require(text.find(command) != std::string_view::npos, "what is named stands in the file");
  }
  const std::string more = std::string(text) + "\nCredential_Process = " + std::string(command);
  const bool possible = !command.empty() && trim(command) == command;
  require(plugin::names_command(more, kSetting, command) == possible, "what is added is named");
}

}  // namespace

void program_target(std::string_view bytes) {
  Input input(bytes);
  const Exact command(input.line());
  const Exact text(input.rest());
  check_words(command.view());
  check_names(text.view(), command.view());
}

}  // namespace ccm::fuzz
