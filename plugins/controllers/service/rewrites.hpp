// Writes to a Service that somebody else undoes: another controller of load balancers that writes
// the status, a tool that takes away annotations which its repository lacks. They are repeated, but
// ever less often, and reported once. One of these for each Service. Any thread.
#pragma once

#include "patches.hpp"

#include <ccm/object.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace ccm::service {

class Rewrites {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // A write has succeeded.
  void written(const ServicePatch& patch);
  // Whether the patch repeats addresses or annotations of the last write of such: somebody undid
  // it.
  [[nodiscard]] bool repeats(const ServicePatch& patch) const;

  // Takes out of the patch what repeats() is about.
  void leave_out(ServicePatch& patch) const;
  // Whether the patch repeats the addresses.
  [[nodiscard]] bool repeats_addresses(const ServicePatch& patch) const;

  // Whether what was undone may be written again now; it counts as a try then.
  bool again(Milliseconds now);
  // Else when. 0: at once.
  [[nodiscard]] Milliseconds due() const { return due_; }
  // Whether an Event should say it now: at once that the addresses were replaced by others, and of
  // all else when it was undone three times. True once, until an hour has passed without.
  bool worth_reporting(bool replaced);
  [[nodiscard]] int times() const { return times_; }

 private:
  uint64_t ingress_ = 0;  // hashes of the last writes; 0: there was none
  uint64_t annotations_ = 0;
  int times_ = 0;
  bool reported_ = false;
  Milliseconds last_{0};
  Milliseconds due_{0};
};

// The name of the writer of a Service's addresses, or else of its last writer, by
// metadata.managedFields: "metallb-controller", or "another program" where nothing says it. Another
// one than `own` if there is any.
std::string writer_of(const Object& service, bool of_addresses, std::string_view own);

}  // namespace ccm::service
