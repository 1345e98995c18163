// Work in a child process, so that code which crashes, hangs or exits takes only the child with it.
// Linux only; the caller must have a single thread, because it forks.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace ccm::ctl {

struct ChildEnd {
  std::string failure;  // the child could not be started
  std::string report;   // what it wrote
  bool in_time = true;  // false: it was killed when the limit was over
  int status = 0;       // as waitpid() gives it
};

// `work` gets the descriptor of its report; the child ends with it. It has no core dumps, its
// standard streams lead nowhere, and it ends with this process.
ChildEnd run_in_child(const std::function<void(int report)>& work, std::chrono::milliseconds limit);

// For `work`: writes all of it.
void write_report(int report, const std::string& text);

// "SIGSEGV"
std::string signal_name(int number);

}  // namespace ccm::ctl
