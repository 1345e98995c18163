// All instances that one listing had. It is kept for as long as the manager runs, so it is packed:
// an Ec2Instance takes five times as much. Any thread once it is finished.
#pragma once

#include "ec2_instance.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

class InstanceListing {
 public:
  void add(const Ec2Instance& instance);
  // After the last add(), before anything is read. Of an id that came twice the last one counts.
  void finish();

  [[nodiscard]] size_t size() const { return places_.size(); }
  // In the order of ids.
  [[nodiscard]] Ec2Instance operator[](size_t index) const;
  [[nodiscard]] std::optional<Ec2Instance> find(std::string_view id) const;

 private:
  [[nodiscard]] std::string_view id_at(size_t place) const;

  std::string bytes_;
  std::vector<size_t> places_;      // of instances in bytes_
  std::vector<std::string> words_;  // that many instances have, such as zones
};
using InstanceListingPtr = std::shared_ptr<const InstanceListing>;

}  // namespace ccm::aws
