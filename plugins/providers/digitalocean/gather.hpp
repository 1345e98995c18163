// Runs a number of tasks, several at once, and waits for all of them. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <functional>

namespace ccm::digitalocean {

// Runs work(0) ... work(count - 1), at most `parallel` at once, in that order. After a failure
// nothing further is started; the first failure is the outcome, once all that ran have ended.
Task<Status> gather(Host& host, size_t count, size_t parallel,
                    std::function<Task<Status>(size_t)> work);

}  // namespace ccm::digitalocean
