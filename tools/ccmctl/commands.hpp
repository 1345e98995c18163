// The subcommands of ccmctl. Each adds itself to the command line; the chosen one prints to
// standard output and sets the exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace ccm::ctl {

// 0 = fine; 1 = a fault was found; 2 = the command line is wrong.
constexpr int kOk = 0;
constexpr int kFault = 1;
constexpr int kUsage = 2;

void add_plugin_list(CLI::App& parent, int& exit_code);
void add_plugin_inspect(CLI::App& parent, int& exit_code);
void add_plugin_check(CLI::App& parent, int& exit_code);
void add_plugin_cases(CLI::App& parent, int& exit_code);
void add_plugin_try(CLI::App& parent, int& exit_code);
void add_plugin_new(CLI::App& parent, int& exit_code);
void add_permissions(CLI::App& parent, int& exit_code);
void add_rbac(CLI::App& parent, int& exit_code);
void add_orphans(CLI::App& parent, int& exit_code);
void add_cleanup(CLI::App& parent, int& exit_code);
void add_doctor(CLI::App& parent, int& exit_code);
void add_lint(CLI::App& parent, int& exit_code);
void add_status(CLI::App& parent, int& exit_code);
void add_explain(CLI::App& parent, int& exit_code);

}  // namespace ccm::ctl
