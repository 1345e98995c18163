#include "droplets.hpp"

#include "answer.hpp"
#include "droplet.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/percent_encode.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace ccm::digitalocean {
namespace {

using Listing = Droplets::Listing;

bool is_ip_address(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

bool has_address(const Instance& droplet, const std::string& address) {
  return std::any_of(droplet.addresses.begin(), droplet.addresses.end(),
                     [&](const NodeAddress& a) { return a.address == address; });
}

Status not_found(const std::string& name) {
  return Status(Code::not_found, ErrorClass::not_found,
                "getting droplet by name: instance not found: no droplet is called " + name)
      .with_reason("DropletNotFound");
}

Status list_changed() {
  return Status(Code::aborted, ErrorClass::conflict,
                "ListDroplets: the list changed while it was read")
      .with_reason("ListChanged");
}

// Exactly one, or why not.
Result<Instance> only_one(Listing droplets, const std::string& what) {
  if (droplets.empty()) return not_found(what);
  if (droplets.size() > 1) {
    return Status(Code::failed_precondition,
                  std::to_string(droplets.size()) + " droplets are called " + what +
                      "; let the kubelet set --provider-id, or rename all but one")
        .with_reason("AmbiguousDropletName");
  }
  return std::move(droplets.front());
}

// The droplets of that very name, else those whose name differs in case only.
Listing best_fit(Listing droplets, const std::string& name) {
  Listing exact;
  Listing similar;
  for (Instance& droplet : droplets) {
    if (droplet.name == name) {
      exact.push_back(std::move(droplet));
    } else if (lower_case(droplet.name) == lower_case(name)) {
      similar.push_back(std::move(droplet));
    }
  }
  return exact.empty() ? similar : exact;
}

PageReader reader_of(InstancePages& pages) {
  return [&pages](int64_t number, const std::string& body) -> Result<PageInfo> {
    auto page = parse_droplets(body);
    if (!page.ok()) return page.status();
    if (number == 1) pages = InstancePages();
    const PageInfo info{static_cast<int64_t>(page->droplets.size()), page->total};
    pages.add(number, std::move(page->droplets), info.total);
    return info;
  };
}

// By the API's default, and the droplets that the default leaves out (DO-72).
constexpr const char* kKinds[] = {"", "gpus"};

std::string droplets_path(const std::string& name, const std::string& type) {
  std::string path = "/v2/droplets";
  char separator = '?';
  if (!name.empty()) {
    path += separator + std::string("name=") + percent_encode(name);
    separator = '&';
  }
  if (!type.empty()) path += separator + std::string("type=") + type;
  return path;
}

}  // namespace

Task<Result<InstanceList>> Droplets::list_all(Ctx ctx) {
  InstanceList all;
  for (const std::string type : kKinds) {
    auto read = [this, ctx, type] { return read_kind(ctx, type); };
    auto some = co_await list_steadily(read);
    if (!some.ok()) co_return some.status();
    std::move(some->instances.begin(), some->instances.end(), std::back_inserter(all.instances));
    all.complete = all.complete && some->complete;
  }
  if (index_addresses_) {
    by_address_.clear();
    for (const Instance& droplet : all.instances) {
      const auto id = droplet_id(droplet.provider_id);
      for (const NodeAddress& address : droplet.addresses) {
        if (id.ok()) by_address_.emplace(address.address, *id);
      }
    }
  }
  co_return all;
}

Task<Result<Listing>> Droplets::list(Ctx ctx) {
  auto all = co_await list_all(ctx);
  if (!all.ok()) co_return all.status();
  if (!all->complete) co_return list_changed();
  co_return std::move(all->instances);
}

Task<Result<InstancePages>> Droplets::read_kind(Ctx ctx, std::string type) {
  InstancePages pages;
  PageReader reader = reader_of(pages);
  std::string path = droplets_path(std::string(), type);
  std::string operation = "ListDroplets";
  auto read = co_await api_.read_pages(ctx, std::move(path), std::move(operation), reader);
  if (!read.ok()) co_return read.status();
  co_return pages;
}

// Droplets of a name; `type` in the API's form, empty = its default. Duplicates are dropped.
Task<Result<Listing>> Droplets::named(Ctx ctx, std::string name, std::string type) {
  InstancePages pages;
  PageReader reader = reader_of(pages);
  std::string path = droplets_path(name, type);
  std::string operation = "FindDroplet";
  auto read = co_await api_.read_pages(ctx, std::move(path), std::move(operation), reader);
  if (!read.ok()) co_return read.status();
  if (!read->same_total || read->count < read->total) {
    co_return bad_answer("has a list that is shorter than it says").with_context("FindDroplet");
  }
  co_return pages.take();
}

Task<Result<Listing>> Droplets::tagged(Ctx ctx, std::string tag) {
  std::string path = "/v2/droplets?tag_name=" + percent_encode(tag);
  return read(std::move(ctx), std::move(path), "ListTaggedDroplets");
}

Task<Result<Listing>> Droplets::read(Ctx ctx, std::string path, std::string operation) {
  InstancePages pages;
  PageReader reader = reader_of(pages);
  Status status = co_await api_.list(ctx, path, operation, reader);
  if (!status.ok()) co_return status;
  co_return pages.take();
}

Task<Result<Instance>> Droplets::get(Ctx ctx, int64_t id) {
  Call question;
  question.path = "/v2/droplets/" + std::to_string(id);
  question.operation = "GetDroplet";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status();
  auto droplet = parse_droplet(*body);
  if (!droplet.ok()) co_return droplet.status().with_context("GetDroplet");
  const auto answered = droplet_id(droplet->provider_id);
  if (!answered.ok() || *answered != id) {
    co_return bad_answer("is not the requested droplet").with_context("GetDroplet");
  }
  co_return droplet;
}

Task<Result<Instance>> Droplets::find(Ctx ctx, std::string name) {
  for (const std::string type : kKinds) {
    auto found = co_await named(ctx, name, type);
    if (!found.ok()) co_return found.status();
    Listing fitting = best_fit(*std::move(found), name);
    if (!fitting.empty()) co_return only_one(std::move(fitting), name);
  }
  if (!is_ip_address(name)) co_return not_found(name);
  auto by_address = co_await find_by_address(ctx, name);
  co_return by_address;
}

Task<Result<Instance>> Droplets::find_by_address(Ctx ctx, std::string address) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) {
    auto droplet = co_await get(ctx, known->second);
    if (droplet.ok() && has_address(*droplet, address)) co_return droplet;
  }
  index_addresses_ = true;
  auto all = co_await list_all(ctx);
  if (!all.ok()) co_return all.status();
  Listing fitting;
  for (Instance& droplet : all->instances) {
    if (has_address(droplet, address)) fitting.push_back(std::move(droplet));
  }
  if (fitting.empty() && !all->complete) co_return list_changed();
  co_return only_one(std::move(fitting), address);
}

}  // namespace ccm::digitalocean
