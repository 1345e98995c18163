// The delay of the loop: the difference between a timer's due time and its run. The loop's thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace prometheus {
class Histogram;
class Registry;
}  // namespace prometheus

namespace ccm::serving {

class LoopLag {
 public:
  // `registry` must outlive it.
  LoopLag(const boost::asio::any_io_executor& executor, prometheus::Registry& registry);
  void start();
  void stop() { timer_.cancel(); }

 private:
  void measure();

  boost::asio::steady_timer timer_;
  prometheus::Histogram& seconds_;
};

}  // namespace ccm::serving
