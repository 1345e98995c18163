// A Node that the controller initialises while something fails.
#pragma once

#include "node_fixture.hpp"

namespace ccm::node {

using std::chrono::milliseconds;

class NodeFaultTest : public NodeControllerTest {
 protected:
  NodeFaultTest() { cloud.machines["n1"] = machine("n1"); }

  // Writes a change of somebody else to the node, after what is stored now.
  void touch(const std::string& label) {
    Json node = stored("n1");
    node["metadata"]["labels"][label] = "1";
    put(node);
  }
  // Lets the key fail until that attempt was made.
  void run_to_attempt(uint32_t attempt) {
    controller->run();
    for (int steps = 0; steps < 400; ++steps) {
      for (const auto& ended : controller->take_reconciled()) {
        if (ended.attempt >= attempt) return;
      }
      controller->advance(std::chrono::milliseconds(5));
    }
    FAIL() << "attempt " << attempt << " never came";
  }
};

}  // namespace ccm::node
