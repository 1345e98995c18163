// Tasks that nobody awaits: each ends in a callback.
#pragma once

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace ccm {

class Tasks {
 public:
  template <typename T, typename Done>
  void operator()(Task<T> task, Done done) {
    scope_.start(run(std::move(task), std::move(done)), [](const Status& status) {
      if (!status.ok()) ADD_FAILURE() << status.message();
    });
  }
  void clear() { scope_.clear(); }

 private:
  template <typename T, typename Done>
  static Task<void> run(Task<T> task, Done done) {
    T outcome = co_await std::move(task);
    done(std::move(outcome));
  }
  Scope scope_;
};

}  // namespace ccm
