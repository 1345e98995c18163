#include "cloud.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace ccm::conformance {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kAnswerLimit{10};
constexpr std::size_t kLastWords = 600;

// What was asked, without headers and bodies, which may have secrets.
std::string shown(const json& question) {
  json parts = json::object();
  for (const char* name : {"do", "method", "url", "count", "name", "providerID", "id", "cidr"}) {
    if (question.contains(name)) parts[name] = question[name];
  }
  return parts.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("was ended by ") + ::strsignal(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

void close_end(int& end) {
  if (end >= 0) ::close(std::exchange(end, -1));
}

// Both directions, closed in the child but for its own ends.
struct Pipes {
  int to_child[2] = {-1, -1};
  int from_child[2] = {-1, -1};
  Pipes() {
    if (::pipe2(to_child, O_CLOEXEC) != 0 || ::pipe2(from_child, O_CLOEXEC) != 0) {
      throw CloudFault(std::string("pipe: ") + std::strerror(errno));
    }
  }
  ~Pipes() {
    for (int* end : {&to_child[0], &to_child[1], &from_child[0], &from_child[1]}) close_end(*end);
  }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;
};

}  // namespace

Cloud::Cloud(const std::string& command, int messages) : command_(command), messages_(messages) {
  if (command.empty()) return;
  errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  ::signal(SIGPIPE, SIG_IGN);
  Pipes pipes;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.to_child[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipes.from_child[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  char shell[] = "/bin/sh";
  char option[] = "-c";
  char* const arguments[] = {shell, option, command_.data(), nullptr};
  const int error = ::posix_spawn(&child_, shell, &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw CloudFault(command_ + ": " + std::strerror(error));
  input_ = std::exchange(pipes.to_child[1], -1);
  output_ = std::exchange(pipes.from_child[0], -1);
}

Cloud::~Cloud() { end(); }

void Cloud::end() {
  reap();
  hand_over_errors();
}

std::string Cloud::reap() {
  close_end(input_);
  close_end(output_);
  const pid_t child = std::exchange(child_, -1);
  if (child <= 0) return "ended before";
  int status = 0;
  for (int i = 0; i < 400; ++i) {
    if (::waitpid(child, &status, WNOHANG) != 0) return how_it_ended(status);
    ::usleep(5'000);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return "closed its standard output";
}

void Cloud::hand_over_errors() {
  char buffer[65536];
  off_t place = 0;
  for (;;) {
    const ssize_t n = errors_ >= 0 ? ::pread(errors_, buffer, sizeof(buffer), place) : 0;
    if (n <= 0 || ::write(messages_, buffer, static_cast<size_t>(n)) < 0) break;
    place += n;
  }
  close_end(errors_);
}

std::string Cloud::last_words() const {
  struct stat file = {};
  if (errors_ < 0 || ::fstat(errors_, &file) != 0 || file.st_size == 0) return "";
  std::string text(kLastWords, '\0');
  const off_t place = std::max<off_t>(0, file.st_size - static_cast<off_t>(kLastWords));
  const ssize_t n = ::pread(errors_, text.data(), text.size(), place);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  if (place > 0) text.erase(0, std::min(text.find('\n') + 1, text.size()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (auto line = text.find('\n'); line != std::string::npos; line = text.find('\n', line)) {
    text.replace(line, 1, " | ");
  }
  return text.empty() ? "" : "; its standard error: " + text;
}

std::string Cloud::read_line() {
  const auto end = std::chrono::steady_clock::now() + kAnswerLimit;
  for (;;) {
    const auto newline = read_.find('\n');
    if (newline != std::string::npos) {
      std::string line = read_.substr(0, newline);
      read_.erase(0, newline + 1);
      return line;
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wait{output_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) {
      throw CloudFault("did not answer within 10 s");
    }
    char buffer[65536];
    const ssize_t n = ::read(output_, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw CloudFault(reap());
    read_.append(buffer, static_cast<size_t>(n));
  }
}

json Cloud::ask(const json& question) {
  if (!there()) return nullptr;
  try {
    return exchange(question);
  } catch (const CloudFault& fault) {
    throw CloudFault(command_ + " was asked " + shown(question) + " and " + fault.what() +
                     last_words());
  }
}

json Cloud::exchange(const json& question) {
  const std::string line = question.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
  for (size_t written = 0; written < line.size();) {
    const ssize_t n = ::write(input_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw CloudFault(reap());
    written += static_cast<size_t>(n);
  }
  const std::string text = read_line();
  json answer = json::parse(text, nullptr, false);
  if (!answer.is_object())
    throw CloudFault("answered what is no JSON object: " + text.substr(0, kLastWords));
  if (answer.contains("error")) throw CloudFault("answered the error " + answer["error"].dump());
  return answer.value("unsupported", false) ? json() : answer;
}

}  // namespace ccm::conformance
