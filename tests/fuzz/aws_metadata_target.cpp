// The metadata service of an instance (plugins/providers/aws), which answers token, region,
// instance id, role and keys; and what a credential_process prints.
// Input: a line with a digit for the status of each answer, 0 to 7 as in kCodes, then the bodies in
// the order in which they are asked for, separated by lines "--"; the last one stands for all that
// follow.
// Properties: a failure is one short line and shows no key; what is asked for stays at the service,
// and no header or path has a character that would end it; a region and an id are names; keys are
// complete.
#include "aws/api/imds.hpp"
#include "aws/cluster_search.hpp"
#include "aws/config/settings.hpp"
#include "aws/credentials/instance_keys.hpp"
#include "aws/credentials/json_keys.hpp"
#include "fuzz.hpp"

#include <ccm/host.hpp>
#include <ccm/testing/fake_host.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace ccm::fuzz {
namespace {

using testing::FakeHttp;

constexpr uint32_t kCodes[] = {200, 404, 401, 403, 405, 500, 503, 301};
constexpr std::string_view kService = "http://169.254.169.254/latest/";
constexpr std::string_view kKey = "Ki8Rarely-typed";
constexpr std::size_t kLongestFailure = 1'000;

// In the order of the input.
class Answers {
 public:
  explicit Answers(std::string_view bytes) {
    Input input(bytes);
    codes_ = input.line();
    bodies_.emplace_back();
    while (!input.empty()) {
      const std::string_view line = input.line();
      if (line == "--") {
        bodies_.emplace_back();
      } else {
        bodies_.back() += std::string(line) + "\n";
      }
    }
  }
  FakeHttp::Answer next() {
    const char digit = asked_ < codes_.size() ? codes_[asked_] : '0';
    const std::string& body = bodies_[std::min(asked_, bodies_.size() - 1)];
    ++asked_;
    FakeHttp::Answer answer;
    answer.outcome = HttpResponse{kCodes[static_cast<unsigned char>(digit) % 8], {}, body};
    return answer;
  }

 private:
  std::string codes_;
  std::vector<std::string> bodies_;
  std::size_t asked_ = 0;
};

bool is_visible(char c) { return c > ' ' && c <= '~'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

void check_request(const HttpRequest& request) {
  require(request.url.starts_with(kService), "only the service is asked");
  require(std::all_of(request.url.begin(), request.url.end(), is_visible),
          "an address is one word");
  for (const HttpHeader& header : request.headers) {
    require(std::all_of(header.value.begin(), header.value.end(), is_visible),
            "a header is one word");
  }
}

void check_failure(const Status& status) {
  if (status.ok()) return;
  require(status.message().find_first_of("\r\n") == std::string::npos, "a message is one line");
  require(status.message().size() <= kLongestFailure, "and is short");
}

void check_keys(const Result<aws::Keys>& keys) {
  check_failure(keys.status());
  require(!keys.ok() || keys->complete(), "keys are complete");
}

Task<Status> ask(Host& host, aws::Imds& imds) {
  const aws::Settings settings;
  const aws::Environment environment({});
  Ctx ctx = host.background();
  auto region = co_await aws::find_region(ctx, settings, environment, imds);
  check_failure(region.status());
  require(!region.ok() || is_name(*region), "a region is a name");
  aws::InstanceKeys source(host, imds);
  auto keys = co_await source.fetch(ctx);
  check_keys(keys);
  co_return Status();
}

// `text` with a key in it that no message may show.
void check_printed(ObjectHost host, std::string_view text) {
  check_keys(aws::parse_json_keys(host, text, aws::KeysForm::process));
  const std::string broken =
      R"({"Version": 1, "SecretAccessKey": ")" + std::string(kKey) + "\"" + std::string(text);
  const auto keys = aws::parse_json_keys(host, broken, aws::KeysForm::process);
  const bool shown = keys.status().message().find(kKey) != std::string::npos;
  require(!shown || text.find(kKey) != std::string_view::npos, "no message shows a key");
}

}  // namespace

void aws_metadata_target(std::string_view bytes) {
  const Exact text(bytes);
  Answers answers(text.view());
  testing::FakeHost fake;
  fake.http.handle([&answers](const HttpRequest& request) {
    check_request(request);
    return answers.next();
  });
  Host host(fake.abi());
  aws::Imds imds(host);
  imds.configure(aws::Environment({}), "", host.http);
  host.spawn(ask(host, imds));
  fake.loop.run();
  check_printed(host.objects, text.view());
}

}  // namespace ccm::fuzz
