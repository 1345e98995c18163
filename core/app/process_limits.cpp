#include "app/process_limits.hpp"

#include "app/ending.hpp"
#include "base/log.hpp"

#include <openssl/crypto.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>

namespace ccm::app {
namespace {

// Given back first, since the line of the log needs some. Never destroyed: any thread may be the
// one.
std::atomic<char*> reserved_memory{nullptr};
constexpr std::size_t kReservedBytes = 2u << 20;

// For a signal handler, too.
[[noreturn]] void leave_now(int) {
  constexpr char kLine[] = "Error: out of memory, exiting\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  std::_Exit(kExitFatal);
}

[[noreturn]] void leave_without_memory() {
  char* const saved = reserved_memory.exchange(nullptr);
  if (saved == nullptr) leave_now(SIGALRM);  // not enough for the line, or another thread
  delete[] saved;
  // The log is out of reach when this thread, or one that is stuck, was writing a line.
  std::signal(SIGALRM, leave_now);
  ::alarm(2);
  log::error("Out of memory, exiting");
  std::_Exit(kExitFatal);
}

// For the functions of OpenSSL, which would fail one by one, and their callers try for ever.
void* allocate(std::size_t bytes, const char*, int) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr && bytes > 0) leave_without_memory();
  return memory;
}

void* reallocate(void* memory, std::size_t bytes, const char*, int) {
  if (bytes == 0) {
    std::free(memory);
    return nullptr;
  }
  void* const grown = std::realloc(memory, bytes);
  if (grown == nullptr) leave_without_memory();
  return grown;
}

void give_back(void* memory, const char*, int) { std::free(memory); }

}  // namespace

std::size_t descriptor_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1'024;
  return static_cast<std::size_t>(limit.rlim_cur);
}

void raise_descriptor_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Refused where the kernel allows less than the limit says; then the lower one stays.
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

void end_when_memory_is_out() {
  // Nothing is written to it, so it has no pages: an allocation fails when the limit of the process
  // or of the system is reached, which counts what is reserved.
  delete[] reserved_memory.exchange(new char[kReservedBytes]);
  std::set_new_handler(leave_without_memory);
  // Refused once OpenSSL has memory: hence at the very start.
  CRYPTO_set_mem_functions(allocate, reallocate, give_back);
}

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace ccm::app
