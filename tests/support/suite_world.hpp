// A fixture for suites of tests with a parameter that share one API server and one cloud, since
// these take longer to start than a test takes.
#pragma once

#include "support/file.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

namespace ccm::support {

template <typename Parameter>
class SuiteWorld : public testing::TestWithParam<Parameter> {
 protected:
  static void SetUpTestSuite() { world_ = std::make_unique<World>(); }
  static void TearDownTestSuite() { world_.reset(); }

  static const std::filesystem::path& folder() { return world_->folder.path(); }
  static TestServer& server() { return world_->server; }
  static TestCloud& cloud() { return world_->cloud; }

 private:
  struct World {
    TemporaryFolder folder{"ccm-suite"};
    TestServer server{folder.path()};
    TestCloud cloud{folder.path()};
  };
  static inline std::unique_ptr<World> world_;
};

}  // namespace ccm::support
