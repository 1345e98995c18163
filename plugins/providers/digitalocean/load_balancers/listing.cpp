#include "listing.hpp"

#include "digitalocean/answer.hpp"

#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kListTimeout{60'000};

struct BalancerPages {
  LoadBalancerListing::Balancers all;
  int64_t count = 0;

  Result<PageInfo> read(int64_t number, const std::string& body) {
    auto page = parse_load_balancers(body);
    if (!page.ok()) return page.status();
    if (number == 1) {
      all.clear();
      count = 0;
    }
    const PageInfo info{static_cast<int64_t>(page->load_balancers.size()), page->total};
    count += info.count;
    for (ExistingLoadBalancer& balancer : page->load_balancers) {
      std::string id = balancer.id;
      all.insert_or_assign(std::move(id),
                           std::make_shared<const ExistingLoadBalancer>(std::move(balancer)));
    }
    return info;
  }
};

}  // namespace

Task<Result<LoadBalancerListing::Ptr>> LoadBalancerListing::get(Ctx ctx, milliseconds max_age) {
  const milliseconds oldest = host_.timer.now() - max_age;
  for (;;) {
    if (current_ && current_began_ >= oldest) co_return Ptr(current_);
    std::shared_ptr<Round> round = running_;
    if (!round) {
      round = running_ = std::make_shared<Round>(host_.post);
      round->began = host_.timer.now();
      host_.spawn(run(round));
    }
    co_await round->ended.wait(ctx);
    if (Status ended = ctx.status(); !ended.ok()) co_return ended;
    if (round->began >= oldest && !round->outcome.ok()) co_return round->outcome.status();
  }
}

void LoadBalancerListing::note(const std::string& id, BalancerPtr balancer) {
  if (current_) {
    // Callers that hold the old map keep it.
    current_ = std::make_shared<Balancers>(*current_);
    if (balancer) {
      current_->insert_or_assign(id, balancer);
    } else {
      current_->erase(id);
    }
  }
  if (running_) writes_.push_back({id, std::move(balancer)});
}

Task<Status> LoadBalancerListing::run(std::shared_ptr<Round> round) {
  Ctx ctx = host_.background().with_timeout(kListTimeout);
  auto read_all = co_await read(ctx);
  if (read_all.ok()) {
    auto all = std::make_shared<Balancers>(*std::move(read_all));
    for (Write& write : writes_) {
      if (write.balancer) {
        all->insert_or_assign(write.id, std::move(write.balancer));
      } else {
        all->erase(write.id);
      }
    }
    current_ = all;
    current_began_ = round->began;
    round->outcome = Ptr(all);
  } else {
    round->outcome = read_all.status();
  }
  writes_.clear();
  running_.reset();
  round->ended.open();
  co_return Status();  // the callers get the failure
}

Task<Result<LoadBalancerListing::Balancers>> LoadBalancerListing::read(Ctx ctx) {
  BalancerPages pages;
  PageReader reader = [&pages](int64_t number, const std::string& body) {
    return pages.read(number, body);
  };
  Status status = co_await api_.list(ctx, "/v2/load_balancers", "ListLoadBalancers", reader);
  if (!status.ok()) co_return status;
  if (static_cast<int64_t>(pages.all.size()) != pages.count) {
    co_return bad_answer("lists a load balancer twice").with_context("ListLoadBalancers");
  }
  co_return std::move(pages.all);
}

}  // namespace ccm::digitalocean
