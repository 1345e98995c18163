// Every metric of the Go managers (upstream_metrics.tsv) is on the page with upstream's type and
// labels, or docs/reference/differences.md says why it is not.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace ccm::e2e {
namespace {

using support::eventually;
using support::patience;

struct UpstreamMetric {
  std::string name;
  std::string type;
  std::set<std::string> labels;
};

struct ShownMetric {
  std::string type;
  std::set<std::string> labels;
};

// They need what a quiet cluster has not: an exec plugin, a repeated request, a refused one.
const std::set<std::string> kNotInAQuietCluster = {"rest_client_exec_plugin_call_total",
                                                   "rest_client_request_retries_total",
                                                   "authentication_token_cache_active_fetch_count"};

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<UpstreamMetric> upstream_metrics() {
  std::vector<UpstreamMetric> metrics;
  std::ifstream file(CCM_UPSTREAM_METRICS);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> columns = split_at(line, '\t');
    UpstreamMetric metric{columns.at(0), columns.at(1), {}};
    if (columns.size() > 2) {
      for (const std::string& label : split_at(columns[2], ',')) metric.labels.insert(label);
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

// The families of a page in Prometheus' text format.
std::map<std::string, ShownMetric> families_of(const std::string& page) {
  static const std::regex label("([a-zA-Z_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");
  std::map<std::string, ShownMetric> families;
  ShownMetric* family = nullptr;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      const std::vector<std::string> words = split_at(line, ' ');
      family = &families[words.at(2)];
      family->type = words.at(3);
    }
    if (line.starts_with("#") || family == nullptr) continue;
    const std::size_t open = line.find('{');
    if (open == std::string::npos) continue;
    const std::string text = line.substr(open, line.rfind('}') - open);
    for (std::sregex_iterator at(text.begin(), text.end(), label), end; at != end; ++at) {
      if ((*at)[1] != "le") family->labels.insert((*at)[1]);
    }
  }
  return families;
}

// The first column of the table "Metrics" in docs/reference/differences.md: names, some with "*" at
// the end, with the text beside each.
std::vector<std::pair<std::string, std::string>> answered_in_docs() {
  static const std::regex name("`([a-z0-9_]+\\*?)`");
  std::vector<std::pair<std::string, std::string>> answers;
  std::ifstream page(CCM_DIFFERENCES_PAGE);
  bool metrics = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) metrics = line == "## Metrics";
    if (!metrics || !line.starts_with("| `")) continue;
    const std::size_t end = line.find(" | ");
    const std::string names = line.substr(0, end);
    for (std::sregex_iterator at(names.begin(), names.end(), name), none; at != none; ++at) {
      answers.emplace_back((*at)[1], line.substr(end + 3));
    }
  }
  return answers;
}

bool answers_for(const std::string& pattern, const std::string& name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

class UpstreamMetricsTest : public EndpointTest {
 protected:
  // Both pages of a manager that runs all controllers and has had something to do.
  std::map<std::string, ShownMetric> shown() {
    start(reviews(), {"--controllers=*,node-ipam-controller", "--allocate-node-cidrs=true",
                      "--cluster-cidr=10.244.0.0/16"});
    join("node-1");
    EXPECT_TRUE(initialised("node-1")) << manager_->log();
    make_service("web");
    EXPECT_TRUE(logs("New load balancer of a service"));
    EXPECT_TRUE(eventually(patience(), [&] {
      return api_.get("/api/v1/nodes/node-1").body.at("spec").contains("podCIDRs");
    }));
    EXPECT_TRUE(api_.remove("/api/v1/nodes/node-1").ok());  // its Pod range is free again
    EXPECT_EQ(ask("/metrics", nobody()).status, 403);
    std::map<std::string, ShownMetric> families;
    EXPECT_TRUE(eventually(patience(), [&] {
      families = families_of(ask("/metrics", scraper()).body);
      families.merge(families_of(ask("/metrics/slis", scraper()).body));
      return families.contains("node_ipam_controller_cidrset_cidrs_releases_total");
    }));
    return families;
  }
};

TEST_F(UpstreamMetricsTest, MET_1_EachIsHereOrAnsweredInTheDocs) {
  const std::vector<UpstreamMetric> upstream = upstream_metrics();
  ASSERT_GT(upstream.size(), 90U);
  const auto answers = answered_in_docs();
  ASSERT_FALSE(answers.empty());
  const auto families = shown();
  std::size_t here = 0;
  for (const UpstreamMetric& metric : upstream) {
    const auto family = families.find(metric.name);
    const auto answer = std::find_if(answers.begin(), answers.end(), [&metric](const auto& one) {
      return answers_for(one.first, metric.name);
    });
    if (family != families.end()) {
      ++here;
      EXPECT_EQ(family->second.type, metric.type) << metric.name;
      EXPECT_EQ(family->second.labels, metric.labels) << metric.name;
      const bool denied = answer != answers.end() && answer->second.starts_with("not there");
      EXPECT_FALSE(denied) << metric.name << " is there, and the docs say that it is not";
    } else if (!kNotInAQuietCluster.contains(metric.name)) {
      EXPECT_TRUE(answer != answers.end())
          << metric.name << " is not on the page, nor in docs/reference/differences.md";
    }
  }
  EXPECT_GT(here, 45U);
}

}  // namespace
}  // namespace ccm::e2e
