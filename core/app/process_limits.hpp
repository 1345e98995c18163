// How this process lives with the limits that the system sets it: descriptors, memory, sizes of
// files (setrlimit(2)).
#pragma once

#include <cstddef>

namespace ccm::app {

// Raises the number of descriptors that this process may have as far as it is allowed to, as
// programs in Go do.
void raise_descriptor_limit();
std::size_t descriptor_limit();

// When an allocation fails, one line of the log says so and the process ends with kExitFatal: no
// part of it can be trusted to go on. Before anything uses OpenSSL, once.
void end_when_memory_is_out();

// A file that may not grow fails the write, as a full disk does, instead of ending the process.
void ignore_file_size_signal();

}  // namespace ccm::app
