#include "search.hpp"

#include <utility>

namespace ccm::digitalocean {

Task<Result<std::vector<ExistingFirewall>>> firewalls_named(Api& api, Ctx ctx, std::string name,
                                                            uint32_t* failed_code) {
  std::vector<ExistingFirewall> found;
  PageReader reader = [&](int64_t number, const std::string& body) -> Result<PageInfo> {
    auto page = parse_firewalls(body);
    if (!page.ok()) return page.status();
    if (number == 1) found.clear();
    const PageInfo info{static_cast<int64_t>(page->firewalls.size()), page->total};
    for (ExistingFirewall& firewall : page->firewalls) {
      if (firewall.name == name) found.push_back(std::move(firewall));
    }
    return info;
  };
  Status status = co_await api.list(ctx, "/v2/firewalls", "ListFirewalls", reader, failed_code);
  if (!status.ok()) co_return status;
  co_return std::move(found);
}

}  // namespace ccm::digitalocean
