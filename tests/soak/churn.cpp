#include "churn.hpp"

#include <iterator>
#include <utility>

namespace ccm::soak {

void Churn::fill() {
  while (static_cast<int64_t>(cluster_.nodes().size()) < options_.nodes) {
    cluster_.join_node(next_node_++);
  }
  while (static_cast<int64_t>(cluster_.services().size()) < options_.services) add_service();
}

// One in ten is of type NodePort, for the firewall.
void Churn::add_service() {
  const int64_t number = next_service_++;
  WantedService wanted;
  wanted.port = static_cast<int>(1 + number % 2'000);
  wanted.node_port = number % 10 == 9;
  cluster_.put_service("service-" + std::to_string(number), wanted);
}

void Churn::change_service() {
  ++changes_;
  const auto count = static_cast<int64_t>(cluster_.services().size());
  const auto kind = random_() % 4;
  if (count < options_.services || kind == 0) return add_service();
  const std::string name = any_of(cluster_.services());
  if (kind == 1 || count > options_.services + 2) return cluster_.remove_service(name);
  WantedService wanted = cluster_.services().at(name);
  if (kind == 2 || wanted.node_port) {
    wanted.port = static_cast<int>(1 + (wanted.port + 2'000) % 2'700);
  } else {
    wanted.check_interval = static_cast<int>(3 + random_() % 298);
  }
  cluster_.put_service(name, wanted);
}

void Churn::change_node() {
  ++changes_;
  if (silent_) {
    calm();
    return;
  }
  const auto count = static_cast<int64_t>(cluster_.nodes().size());
  const auto kind = random_() % 3;
  if (count < options_.nodes || kind == 0) return cluster_.join_node(next_node_++);
  const int64_t number = any_of(cluster_.nodes());
  if (kind == 1) return cluster_.lose_node(number);
  silent_ = number;
  cluster_.set_ready(number, false);
}

void Churn::calm() {
  const auto number = std::exchange(silent_, std::nullopt);
  if (number) cluster_.set_ready(*number, true);
}

}  // namespace ccm::soak
