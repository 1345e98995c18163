#include "pool.hpp"

namespace ccm::ipam {

PoolMetrics::PoolMetrics(const Metrics& metrics)
    : allocations(metrics.counter("node_ipam_controller_cidrset_cidrs_allocations_total",
                                  "Blocks of a cluster CIDR that came into use.", {"clusterCIDR"})),
      releases(metrics.counter("node_ipam_controller_cidrset_cidrs_releases_total",
                               "Blocks of a cluster CIDR that became free.", {"clusterCIDR"})),
      size(metrics.gauge("node_ipam_controller_cirdset_max_cidrs",  // sic: upstream's spelling
                         "Blocks that a cluster CIDR has.", {"clusterCIDR"})),
      usage(metrics.gauge("node_ipam_controller_cidrset_usage_cidrs",
                          "Share of a cluster CIDR's blocks that is in use.", {"clusterCIDR"})),
      tries(metrics.histogram("node_ipam_controller_cidrset_allocation_tries_per_request",
                              "Blocks in use that were skipped until a free one was found.",
                              {1, 5, 25, 125, 625}, {"clusterCIDR"})) {}

Pool::Pool(Cidr cluster, unsigned block_prefix, const PoolMetrics& metrics)
    : blocks_(cluster, block_prefix), label_(cluster.text()), metrics_(metrics) {
  metrics_.size.record(blocks_.size(), {label_});
  record_usage();
}

std::optional<BlockSet::Free> Pool::find_free(bool apart) const {
  return blocks_.find_free(apart ? cursor_ + blocks_.size() / 2 : cursor_);
}

void Pool::take(BlockSet::Free found, bool apart) {
  hold({found.block, found.block});
  metrics_.tries.record(found.skipped, {label_});
  if (!apart) follow(found.block);
}

void Pool::hold(BlockSet::Span span) {
  const uint32_t fresh = blocks_.hold(span);
  if (fresh == 0) return;
  metrics_.allocations.record(fresh, {label_});
  record_usage();
}

uint32_t Pool::release(BlockSet::Span span) {
  const uint32_t freed = blocks_.release(span);
  if (freed == 0) return 0;
  metrics_.releases.record(freed, {label_});
  record_usage();
  return freed;
}

void Pool::record_usage() const {
  metrics_.usage.record(static_cast<double>(blocks_.taken()) / blocks_.size(), {label_});
}

}  // namespace ccm::ipam
