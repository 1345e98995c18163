// When the cloud is asked again about a load balancer that it is still working on. Any thread.
#pragma once

#include <chrono>

namespace ccm::service {

// The pause until the next question about one that has been waited for since `since`. They become
// rarer with its age: two a second at first, a third of the age apart later, 16 s at most; 90 s
// cost 24 at most. They are due at multiples of their spacing, half a second times a power of
// two, so that load balancers of different ages are due together and a provider answers them from
// one listing. Both times are those of Timer::now().
std::chrono::milliseconds until_next_poll(std::chrono::milliseconds now,
                                          std::chrono::milliseconds since);

}  // namespace ccm::service
