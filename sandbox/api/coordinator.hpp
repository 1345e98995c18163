#pragma once

#include "api/times.hpp"
#include "api/writer.hpp"

#include <string>
#include <vector>

namespace sandbox {

// Coordinated leader election as kube-apiserver does it (HOST-150..154): chooses among the
// LeaseCandidates of each Lease the one with the oldest version. Loop thread.
class Coordinator {
 public:
  Coordinator(Store& store, Writer& writer) : store_(store), writer_(writer) {}

  // Does what is due now; call it twice a second.
  void step(Time now);

 private:
  using Candidates = std::vector<ObjectPtr>;

  void hold_election(const std::string& name_space, const std::string& lease_name,
                     const Candidates& candidates, Time now);
  bool ask(const Candidates& candidates, Time now);
  void name_holder(const std::string& name_space, const std::string& lease_name,
                   const Object& elected, Time now);

  Store& store_;
  Writer& writer_;
};

}  // namespace sandbox
