// Answers of the sandbox cloud (plugins/providers/sandbox): pages of a listing, single machines,
// failures; and the provider's configuration.
// Input: a byte of choices; then pages line by line, or one text.
// Properties: a complete listing is complete and has no machine twice; nothing but a complete one
// is taken; a failure has a class; the configuration's token shows in no message.
#include "fuzz.hpp"
#include "sandbox/answer.hpp"
#include "sandbox/cloud_config.hpp"
#include "sandbox/listing.hpp"

#include <algorithm>
#include <set>

namespace ccm::fuzz {
namespace {

void check_failure(const Status& status) {
  require(!status.ok() && !status.message().empty(), "a failure says what is wrong");
  require(!status.reason().empty() || status.code() == Code::aborted, "and why");
}

void check_machine(const Instance& machine) {
  require(machine.provider_id.starts_with(sandbox::kProviderIdPrefix), "a machine's ID");
  const auto id = sandbox::machine_id(machine.provider_id);
  require(id && !id->empty(), "and back");
  require(machine.state != InstanceState::absent, "an answer never says absent");
}

void check_listing(Input input) {
  sandbox::Listing listing;
  while (listing.next_page() && !input.empty()) {
    const int64_t wanted = *listing.next_page();
    auto page = sandbox::parse_page(input.line());
    if (!page.ok()) return check_failure(page.status());
    const bool last = !page->next_page;
    const Status status = listing.add(std::move(*page));
    if (!status.ok()) return check_failure(status);
    require(listing.next_page().has_value() != last, "the last page is the last");
    require(last || *listing.next_page() == wanted + 1, "page after page");
  }
  if (listing.next_page()) return;
  InstancePages pages = listing.take();
  const int64_t total = pages.total();
  const bool complete = pages.held_still();
  const auto machines = pages.take();
  require(!complete || static_cast<int64_t>(machines.size()) == total,
          "a complete listing is complete");
  require(sandbox::check_unique(machines).ok(), "without a machine twice");
  for (const Instance& machine : machines) check_machine(machine);
}

void check_answer(std::string_view text, uint32_t code) {
  HttpResponse response;
  response.status_code = code;
  response.body = text;
  response.headers.push_back({"Retry-After", std::string(text.substr(0, 12))});
  const Status status = sandbox::status_of("list machines", response);
  require(status.ok() == (code >= 200 && code < 300), "2xx is success");
  require(status.retry_after().count() >= 0 && status.retry_after() <= std::chrono::hours(24),
          "nobody waits for more than a day");
  if (!status.ok()) {
    check_failure(status);
    require(status.message().size() <= 2048, "a failure's message is short");
  }
}

void check_config(std::string_view text) {
  const auto config = sandbox::parse_cloud_config(text);
  if (!config.ok()) return check_failure(config.status());
  require(config->machines_file.empty() != config->endpoint.empty(), "a file or an endpoint");
  require(config->endpoint.empty() || !config->token.empty(), "an endpoint has a token");
  require(!config->endpoint.ends_with('/'), "without a slash at its end");
}

}  // namespace

void cloud_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  if ((choices & 1U) != 0) return check_listing(input);
  const Exact text(input.rest());
  if (const auto machine = sandbox::parse_machine(text.view()); machine.ok()) {
    check_machine(*machine);
  } else {
    check_failure(machine.status());
  }
  if (const auto file = sandbox::parse_machines_file(text.view()); file.ok()) {
    for (const Instance& machine : *file) check_machine(machine);
  }
  constexpr uint32_t kCodes[] = {200, 204, 301, 400, 401, 403, 404, 409, 429, 500, 503, 599};
  check_answer(text.view(), kCodes[(choices >> 1U) % std::size(kCodes)]);
  check_config(text.view());
}

}  // namespace ccm::fuzz
