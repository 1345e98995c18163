// How a record looks as a line, without the newline. Any thread.
#pragma once

#include "base/log.hpp"

#include <chrono>
#include <string>

namespace ccm::log {

// klog's text: I1121 09:01:37.123456    4711 file.cpp:42] "message" key="value"
std::string format_text(const Record& record, std::chrono::system_clock::time_point time, int pid);

// klog's JSON:
// {"ts":1637485297123.456,"caller":"dir/file.cpp:42","msg":"message","v":0,"key":"value"} Errors
// have no "v"; warnings have "severity":"warning".
std::string format_json(const Record& record, std::chrono::system_clock::time_point time);

// File name without folders, and without its extension too.
std::string_view base_name(std::string_view path);
std::string_view without_extension(std::string_view path);

}  // namespace ccm::log
