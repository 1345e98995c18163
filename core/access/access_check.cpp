#include "access/access_check.hpp"

#include "base/log.hpp"
#include "plugin/await_callback.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace ccm::access {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

// One round of questions, shared by the coroutines that ask.
struct Round {
  std::vector<Permission> questions;
  std::vector<Permission> refused;
  std::size_t next = 0;
  std::size_t asking = 0;      // coroutines under way
  std::optional<Status> mute;  // why the API server did not answer

  [[nodiscard]] std::vector<Permission> refused_of(const std::vector<Permission>& asked) const {
    std::vector<Permission> found;
    std::ranges::copy_if(asked, std::back_inserter(found), [this](const auto& permission) {
      return std::ranges::find(refused, permission) != refused.end();
    });
    return found;
  }
};

// The last one calls `done`. It holds the waiting coroutine, which holds the round: stored in the
// round, neither would be freed with the loop.
asio::awaitable<void> ask(std::shared_ptr<Round> round, std::function<void(bool)> done,
                          AccessCheck::Clients clients, std::chrono::milliseconds timeout) {
  kube::CallOptions call;
  call.timeout = timeout;
  call.max_retries = 0;
  call.rate_limited = false;
  call.max_response_bytes = 1u << 20;  // reading it as JSON takes many times that
  while (!round->mute && round->next < round->questions.size()) {
    const Permission permission = round->questions[round->next++];
    std::string method = "POST";
    std::string path = kReviews;
    std::string body = self_review(permission);
    kube::Client client = clients(permission.service_account);
    const Result<std::string> answer =
        co_await client.raw(std::move(method), std::move(path), std::move(body), call);
    const Result<bool> allowed =
        answer.ok() ? allowed_in_review(*answer) : Result<bool>(answer.status());
    // An account that has no token, or none that is accepted, may do nothing.
    const bool without_token =
        !permission.service_account.empty() && allowed.status().error_class() == ErrorClass::auth;
    if (!allowed.ok() && !without_token) {
      round->mute = allowed.status();
    } else if (without_token || !*allowed) {
      round->refused.push_back(permission);
    }
  }
  if (--round->asking == 0) done(true);
}

}  // namespace

struct AccessCheck::State {
  State(Clients clients_, std::vector<AccessSubject> subjects_, AccessCheckOptions options_,
        AccessCallbacks callbacks_)
      : clients(std::move(clients_)),
        client(clients("")),
        subjects(std::move(subjects_)),
        options(options_),
        callbacks(std::move(callbacks_)),
        timer(client.executor()) {}

  [[nodiscard]] bool allows(std::string_view name) const {
    const auto known = std::ranges::find(subjects, name, &AccessSubject::name);
    if (known == subjects.end() || known->permissions.needed.empty()) return true;
    return asked && needs(name).empty();
  }
  [[nodiscard]] const std::vector<Permission>& needs(std::string_view name) const {
    static const std::vector<Permission> kNothing;
    const auto lacks = missing.find(name);
    return lacks == missing.end() ? kNothing : lacks->second.needed;
  }
  [[nodiscard]] bool somebody_waits() const {
    return std::ranges::any_of(missing, [](const auto& of) { return !of.second.needed.empty(); });
  }
  // Rules to ask about: all of them first, later only the refused ones.
  [[nodiscard]] std::vector<Permission> questions() const {
    std::vector<Permission> all;
    for (const AccessSubject& subject : subjects) {
      const auto waits = missing.find(subject.name);
      const auto& list = waits == missing.end() ? subject.permissions : waits->second;
      if (asked && waits == missing.end()) continue;
      all.insert(all.end(), list.needed.begin(), list.needed.end());
      all.insert(all.end(), list.optional.begin(), list.optional.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  void take(const Round& round) {
    for (const AccessSubject& subject : subjects) {
      const Permissions lacks{round.refused_of(subject.permissions.needed),
                              round.refused_of(subject.permissions.optional)};
      const auto before = missing.find(subject.name);
      const bool had = before != missing.end();
      if (had ? before->second == lacks : lacks.empty()) continue;
      if (lacks.empty()) {
        missing.erase(before);
      } else {
        missing[subject.name] = lacks;
      }
      if (callbacks.changed) callbacks.changed(subject, lacks);
    }
  }
  void wake() {
    for (auto& [name, done] : std::exchange(waiting, {})) {
      if (stopping || allows(name)) {
        asio::post(client.executor(), [done = std::move(done)] { done(true); });
      } else {
        waiting.emplace_back(name, std::move(done));
      }
    }
  }

  const Clients clients;
  kube::Client client;  // has the program's own identity
  const std::vector<AccessSubject> subjects;
  const AccessCheckOptions options;
  AccessCallbacks callbacks;
  asio::steady_timer timer;  // between two rounds
  std::map<std::string, Permissions, std::less<>> missing;
  std::vector<std::pair<std::string, std::function<void(bool)>>> waiting;
  bool asked = false;  // the first round has ended
  bool mute = false;   // the API server does not answer
  bool stopping = false;
};

AccessCheck::AccessCheck(Clients clients, std::vector<AccessSubject> subjects,
                         AccessCheckOptions options, AccessCallbacks callbacks)
    : state_(std::make_shared<State>(std::move(clients), std::move(subjects), options,
                                     std::move(callbacks))) {}

AccessCheck::~AccessCheck() { stop(); }

asio::awaitable<void> AccessCheck::run() {
  const std::shared_ptr<State> state = state_;  // outlives this object while it waits
  auto pause = state->options.first_pause;
  while (!state->stopping) {
    const auto round = std::make_shared<Round>();
    round->questions = state->questions();
    if (!round->questions.empty()) {
      auto start = [state, round](const std::function<void(bool)>& done) {
        round->asking =
            std::min(std::max<std::size_t>(state->options.parallel, 1), round->questions.size());
        for (std::size_t i = round->asking; i > 0; --i) {
          asio::co_spawn(state->client.executor(),
                         ask(round, done, state->clients, state->options.call_timeout),
                         asio::detached);
        }
      };
      co_await plugin::await_callback<bool>(start);
    }
    if (state->stopping) co_return;
    const bool first = !std::exchange(state->asked, true);
    if (!round->mute) {
      state->take(*round);
    } else if (first) {
      // Half of the answers say nothing about the rest, so nobody waits because of a guess.
      state->mute = true;
      log::warning("The API server does not answer access reviews; continuing without",
                   {{"err", *round->mute}});
    }
    state->wake();
    if (state->callbacks.answered) state->callbacks.answered();
    if (state->missing.empty()) co_return;
    state->timer.expires_after(state->somebody_waits() ? pause : state->options.idle_pause);
    co_await state->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    pause = std::min(pause * 2, state->options.longest_pause);
  }
}

void AccessCheck::stop() {
  if (std::exchange(state_->stopping, true)) return;
  state_->callbacks = {};
  state_->timer.cancel();
  state_->wake();
}

bool AccessCheck::allows(std::string_view name) const { return state_->allows(name); }

std::string AccessCheck::needs(std::string_view name) const {
  return to_string(state_->needs(name));
}

std::map<std::string, std::string> AccessCheck::needs() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, lacks] : state_->missing) {
    if (!lacks.needed.empty()) all.emplace(name, to_string(lacks.needed));
  }
  return all;
}

asio::awaitable<void> AccessCheck::wait(std::string name) {
  const std::shared_ptr<State> state = state_;
  if (state->stopping || state->allows(name)) co_return;
  auto start = [state, name](std::function<void(bool)> done) {
    state->waiting.emplace_back(name, std::move(done));
  };
  co_await plugin::await_callback<bool>(start);
}

bool AccessCheck::mute() const { return state_->mute; }

std::string AccessCheck::text() const {
  if (!state_->asked) return "being asked";
  if (state_->mute) return "unknown: the API server does not say";
  std::string text;
  const auto add = [&text](const std::string& name, const char* verb,
                           const std::vector<Permission>& lacks) {
    if (lacks.empty()) return;
    text += (text.empty() ? "" : "; ") + name + verb + to_string(lacks);
  };
  for (const auto& [name, lacks] : state_->missing) add(name, " lacks ", lacks.needed);
  for (const auto& [name, lacks] : state_->missing) add(name, " goes on without ", lacks.optional);
  return text.empty() ? "all granted" : text;
}

std::string self_review(const Permission& permission) {
  json attributes = {{"verb", permission.verb}, {"group", permission.api_group}};
  const auto slash = permission.resource.find('/');
  attributes["resource"] = permission.resource.substr(0, slash);
  if (slash != std::string::npos) attributes["subresource"] = permission.resource.substr(slash + 1);
  if (!permission.name.empty()) attributes["name"] = permission.name;
  if (!permission.namespace_name.empty()) attributes["namespace"] = permission.namespace_name;
  const json review = {{"apiVersion", "authorization.k8s.io/v1"},
                       {"kind", "SelfSubjectAccessReview"},
                       {"spec", {{"resourceAttributes", std::move(attributes)}}}};
  return review.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<bool> allowed_in_review(const std::string& answer) {
  const json review = json::parse(answer, nullptr, false);
  const json::json_pointer allowed("/status/allowed");
  if (!review.contains(allowed) || !review[allowed].is_boolean()) {
    return Status(Code::data_loss, "the answer to the access review is no SelfSubjectAccessReview");
  }
  return review[allowed].get<bool>();
}

}  // namespace ccm::access
