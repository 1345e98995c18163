// One operation at a time for each key, in the order of asking. Loop thread.
#pragma once

#include "plugin/context.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

class Turns {
 public:
  // Who holds it works; the next one begins when it is gone.
  using Turn = std::shared_ptr<void>;

  Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Calls `start` when no turn of `key` is held any more, maybe inside this call; never when
  // `context` ended before that.
  void take(const std::string& key, std::shared_ptr<Context> context,
            std::function<void(Turn)> start);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::plugin
