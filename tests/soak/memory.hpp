// The manager's memory over time.
#pragma once

#include <sys/types.h>

#include <vector>

namespace ccm::soak {

// Resident memory in MB; 0 when the process is not there.
double resident_mb(pid_t process);
// CPU seconds that it has used.
double cpu_seconds(pid_t process);

// By how much the mean of the last quarter lies above that of the second; 0 for too few samples.
double growth_mb(const std::vector<double>& samples);

}  // namespace ccm::soak
