// Metrics of plugins in the whole host.
#include "../runtime/manual_timers.hpp"
#include "plugin_host/plugin_host.hpp"
#include "whole_host_fixture.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/provider.h>
#include <ccm/sized.hpp>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <string>
#include <vector>

namespace ccm::plugin_host {
namespace {

using namespace std::chrono_literals;

// A plugin's metrics.
struct TestMetrics {
  explicit TestMetrics(const ccm_host* host) {
    ccm_interface found{};
    EXPECT_TRUE(host->get_interface(host->self, CCM_HOST_METRICS, &found));
    table = static_cast<const ccm_host_metrics*>(found.table);
    self = found.self;
  }
  uint64_t define(const char* name, int32_t kind, std::vector<ccm_str> labels = {}) const {
    auto metric = sized<ccm_metric>();
    metric.kind = kind;
    metric.name = c_str(name);
    metric.help = c_str("Help.");
    metric.label_names = labels.data();
    metric.label_count = labels.size();
    return table->define(self, &metric);
  }
  void record(uint64_t metric, const char* label, double value) const {
    const ccm_str text = c_str(label);
    table->record(self, metric, &text, 1, value);
  }
  const ccm_host_metrics* table = nullptr;
  void* self = nullptr;
};

TEST_F(WholeHostTest, PluginsShareAMetricOfOneShapeAndGetNoneOfAnother) {
  cloud_.on_create = [](const ccm_host* host) {
    const TestMetrics metrics(host);
    metrics.record(metrics.define("shared_total", CCM_METRIC_COUNTER, {c_str("zone")}), "a", 1);
  };
  tagger_.on_create = [](const ccm_host* host) {
    const TestMetrics metrics(host);
    EXPECT_EQ(metrics.define("shared_total", CCM_METRIC_GAUGE, {c_str("zone")}), 0u);
    EXPECT_EQ(metrics.define("shared_total", CCM_METRIC_COUNTER, {c_str("node")}), 0u);
    EXPECT_EQ(metrics.define("shared_total", CCM_METRIC_COUNTER), 0u);
    metrics.record(metrics.define("shared_total", CCM_METRIC_COUNTER, {c_str("zone")}), "a", 2);
    metrics.record(0, "a", 4);  // of one that was refused
  };
  ASSERT_TRUE(create_provider().ok());
  ASSERT_TRUE(create_controller().ok());
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("\nshared_total{zone=\"a\"} 3\n"), std::string::npos) << text;
}

TEST_F(WholeHostTest, APluginCannotTakeAMetricOfTheHosts) {
  const auto take = [](const ccm_host* host) {
    const TestMetrics metrics(host);
    for (const char* name :
         {"ccm_plugin_operations_total", "ccm_plugin_degraded", "ccm_deletion_brake_held",
          "workqueue_depth", "workqueue_adds_total", "workqueue_queue_duration_seconds"}) {
      for (const int32_t kind : {CCM_METRIC_COUNTER, CCM_METRIC_GAUGE}) {
        EXPECT_EQ(metrics.define(name, kind), 0u) << name;
        EXPECT_EQ(metrics.define(name, kind, {c_str("name")}), 0u) << name;
      }
    }
    EXPECT_NE(metrics.define("own_total", CCM_METRIC_COUNTER), 0u);
  };
  cloud_.on_create = take;
  tagger_.on_create = take;
  ASSERT_TRUE(create_provider().ok());
  ASSERT_TRUE(create_controller().ok());
  ASSERT_TRUE(wait(host_->start_provider()).ok());
  ASSERT_TRUE(setup("tagger").ok());
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_NE(text.find("# TYPE workqueue_depth gauge\nworkqueue_depth{name=\"Tags\"} 0\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace ccm::plugin_host
