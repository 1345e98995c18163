#include "contract.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ccm::contract::environment();
  return RUN_ALL_TESTS();
}
