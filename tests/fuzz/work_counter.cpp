#include "work_counter.hpp"

namespace {
uint64_t branches = 0;
}

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the compiler's name
extern "C" void __sanitizer_cov_trace_pc();
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __sanitizer_cov_trace_pc() { ++branches; }

namespace ccm::fuzz {

uint64_t branches_taken() { return branches; }

}  // namespace ccm::fuzz
