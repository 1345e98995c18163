// When a load balancer that the cloud is still creating is read again. Any thread.
#pragma once

#include <chrono>

namespace ccm::digitalocean {

// The pause until the next poll of a load balancer that has been pending since `since`. Polls
// become rarer with its age: one a second at first, a quarter of the age apart later, 16 s at most.
// They are due at multiples of their spacing, a power of two in seconds, so that load balancers of
// different ages are due together and share one listing. Both times are those of Timer::now().
std::chrono::milliseconds until_next_poll(std::chrono::milliseconds now,
                                          std::chrono::milliseconds since);

}  // namespace ccm::digitalocean
