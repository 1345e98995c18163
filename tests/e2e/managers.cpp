#include "managers.hpp"

#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/test_server.hpp"

#include <signal.h>

#include <stdexcept>

namespace ccm::e2e {

Managers::Managers(std::vector<std::string> arguments, std::filesystem::path folder)
    : arguments_(std::move(arguments)), folder_(std::move(folder)) {}

void Managers::start(const std::string& name, const std::vector<std::string>& flags) {
  std::vector<std::string> command{support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM)};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  command.insert(command.end(), flags.begin(), flags.end());
  // Neither of these may have an influence (API-96).
  support::ProcessOptions options{log_file(name), {{"KUBECONFIG", ""}, {"HOME", ""}}};
  processes_[name] = std::make_unique<support::Process>(command, options);
}

void Managers::stop(const std::string& name) {
  process(name).send(SIGTERM);
  if (!process(name).wait(support::patience())) {
    throw std::runtime_error("manager " + name + " does not end on SIGTERM");
  }
}

void Managers::kill(const std::string& name) {
  process(name).send(SIGKILL);
  process(name).wait(support::patience());
}

void Managers::pause(const std::string& name) { process(name).send(SIGSTOP); }
void Managers::resume(const std::string& name) { process(name).send(SIGCONT); }

support::Process& Managers::process(const std::string& name) {
  const auto found = processes_.find(name);
  if (found == processes_.end()) throw std::runtime_error("manager " + name + " was not started");
  return *found->second;
}

std::string Managers::log(const std::string& name) const {
  return std::filesystem::exists(log_file(name)) ? support::read_file(log_file(name)) : "";
}

std::string Managers::report() {
  constexpr std::size_t kLength = 6000;
  std::string result;
  for (const auto& [name, process] : processes_) {
    const auto status = process->wait(std::chrono::milliseconds(0));
    result += "--- manager " + name + ": ";
    result += !status               ? "running"
              : status->signal != 0 ? "killed by signal " + std::to_string(status->signal)
                                    : "exit code " + std::to_string(status->code);
    const std::string text = log(name);
    result += "\n" + (text.size() > kLength ? "...\n" + text.substr(text.size() - kLength) : text);
  }
  return result;
}

std::filesystem::path Managers::log_file(const std::string& name) const {
  return folder_ / (name + ".log");
}

}  // namespace ccm::e2e
