#include "settings.hpp"

#include "block_set.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace ccm::ipam {
namespace {

constexpr int64_t kDefaultMaskV4 = 24;
constexpr int64_t kDefaultMaskV6 = 64;
constexpr unsigned kMostBitsV6 = 16;  // IPAM-13

std::string flag(const Config& config, std::string_view name) {
  return std::string(config.flag(name).value_or(std::string_view()));
}

class Reader {
 public:
  explicit Reader(const Config& config) : config_(config) {}

  SettingsReport read() && {
    read_allocator();
    read_cluster();
    read_masks();
    read_services();
    return std::move(report_);
  }

 private:
  void error(std::string text) { report_.errors.push_back(std::move(text)); }

  void read_allocator() {
    const std::string type = flag(config_, "cidr-allocator-type");
    if (type.empty() || type == "RangeAllocator") return;
    const bool of_a_cloud =
        type == "CloudAllocator" || type == "IPAMFromCloud" || type == "IPAMFromCluster";
    error("--cidr-allocator-type=" + type +
          (of_a_cloud ? " belonged to one cloud's own network and is not available any more"
                      : " is not known") +
          ": use RangeAllocator");
  }

  void read_cluster() {
    const std::string text = flag(config_, "cluster-cidr");
    const auto items = split_cidrs(text);
    if (items.empty()) {
      return error("--cluster-cidr is empty: it must name the address range to allocate from");
    }
    for (const std::string& item : items) {
      const auto cidr = parse_cidr(item);
      if (!cidr) {
        error("--cluster-cidr=" + text + ": \"" + item +
              "\" is no address range such as 10.244.0.0/16");
      } else {
        clusters_.push_back(*cidr);
      }
    }
    if (clusters_.size() != items.size()) {
      clusters_.clear();  // checks that depend on them are impossible
    } else if (clusters_.size() > 2 ||
               (clusters_.size() == 2 && clusters_[0].v6 == clusters_[1].v6)) {
      error("--cluster-cidr=" + text +
            " must be one range, or two of which one is IPv4 and one is IPv6");
      clusters_.clear();
    }
  }

  // 0 = not given.
  int64_t mask(const char* name, int64_t most) {
    const int64_t value = config_.integer_flag(name).value_or(0);
    if (value >= 0 && value <= most) return value;
    error("--" + std::string(name) + "=" + std::to_string(value) + " must be from 1 to " +
          std::to_string(most));
    return 0;
  }

  void read_masks() {
    const int64_t any = mask("node-cidr-mask-size", 128);
    const int64_t v4 = mask("node-cidr-mask-size-ipv4", 32);
    const int64_t v6 = mask("node-cidr-mask-size-ipv6", 128);
    if (clusters_.size() == 2) {
      if (any != 0) {
        error(
            "--node-cidr-mask-size is for one IP family; --cluster-cidr has two, so give "
            "--node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6");
      }
    } else if (clusters_.size() == 1) {
      const bool is_v6 = clusters_[0].v6;
      if (any != 0 && (is_v6 ? v6 : v4) != 0) {
        error(std::string("--node-cidr-mask-size and --node-cidr-mask-size-ipv") +
              (is_v6 ? "6" : "4") + " say the same: give one of them");
      }
      if ((is_v6 ? v4 : v6) != 0) {
        error(std::string("--node-cidr-mask-size-ipv") + (is_v6 ? "4" : "6") +
              " is given, but --cluster-cidr has no range of that IP family");
      }
    }
    for (const Cidr& cluster : clusters_) {
      int64_t prefix = cluster.v6 ? v6 : v4;
      if (prefix == 0 && clusters_.size() == 1) prefix = any;
      if (prefix == 0) prefix = cluster.v6 ? kDefaultMaskV6 : kDefaultMaskV4;
      add_pool(cluster, static_cast<unsigned>(prefix));
    }
  }

  void add_pool(const Cidr& cluster, unsigned prefix) {
    const std::string blocks = "blocks of /" + std::to_string(prefix) +
                               " do not fit into --cluster-cidr " + cluster.text();
    if (prefix > cluster.width()) return error(blocks + ": an IPv4 prefix is 32 at most");
    if (prefix < cluster.prefix) return error(blocks + ": they are larger than it");
    const unsigned most = cluster.v6 ? kMostBitsV6 : BlockSet::kMostBits;
    if (prefix - cluster.prefix > most) {
      return error(blocks + ": there would be 2^" + std::to_string(prefix - cluster.prefix) +
                   " of them, and 2^" + std::to_string(most) +
                   " is the most; take larger blocks or a smaller range");
    }
    report_.settings.pools.push_back({cluster, prefix});
  }

  void read_services() {
    const std::string text = flag(config_, "service-cluster-ip-range");
    const auto items = split_cidrs(text);
    if (items.size() > 2) {
      return error("--service-cluster-ip-range=" + text + " must be one range or two");
    }
    for (const std::string& item : items) {
      const auto cidr = parse_cidr(item);
      if (cidr) {
        report_.settings.service_ranges.push_back(*cidr);
      } else {
        // IPAM-12: no error with Go's controller either.
        report_.warnings.push_back("--service-cluster-ip-range: \"" + item +
                                   "\" is no address range and is ignored");
      }
    }
    const auto& ranges = report_.settings.service_ranges;
    if (ranges.size() == 2 && ranges[0].v6 == ranges[1].v6) {
      error("--service-cluster-ip-range=" + text + " must not have two ranges of one IP family");
    }
  }

  const Config& config_;
  SettingsReport report_;
  std::vector<Cidr> clusters_;
};

}  // namespace

SettingsReport read_settings(const Config& config) { return Reader(config).read(); }

}  // namespace ccm::ipam
