// The subcommands of ccmctl. Each adds itself to the command line; when it was chosen it prints to
// standard output and says with which code the program ends.
#pragma once

#include <CLI/CLI.hpp>

namespace ccm::ctl {

// 0 = fine; 1 = what was asked about has a fault; 2 = the command line has one.
constexpr int kOk = 0;
constexpr int kFault = 1;
constexpr int kUsage = 2;

void add_plugin_list(CLI::App& parent, int& exit_code);
void add_plugin_inspect(CLI::App& parent, int& exit_code);
void add_plugin_check(CLI::App& parent, int& exit_code);
void add_rbac(CLI::App& parent, int& exit_code);
void add_lint(CLI::App& parent, int& exit_code);
void add_status(CLI::App& parent, int& exit_code);
void add_explain(CLI::App& parent, int& exit_code);

}  // namespace ccm::ctl
