// Log-in, log-out and configuration: ccm/abi/provider.h.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/provider.h";

void logs_in(Trial& trial) {
  trial.need(kInitialize);
  const Outcome outcome = trial.run(kInitialize);
  if (!trial.network.fault().empty()) Trial::fail(trial.network.fault());
  Trial::expect(outcome.ok(), "initialize failed with " + describe(outcome.status));
}

void logs_in_again(Trial& trial) {
  trial.need(kInitialize);
  trial.ready();
  trial.need_http();
  trial.network.break_all({Break::Kind::no_answer});
  testing::FakeComponent component(trial.host, trial.subject().plugin, trial.subject().component);
  trial.run_now([&] { return component.created().ok(); });
  if (!component.created().ok()) Trial::skip("the component cannot be made; see PLUGIN-07");
  const Status failed = component.initialize();
  if (failed.ok()) Trial::skip("initialize does not ask the cloud");
  Trial::expect(failed.code() != Code::invalid_argument,
                "initialize ends the host (INVALID_ARGUMENT) because the cloud does not answer");
  trial.network.restart();
  const Status again = component.initialize();
  Trial::expect(again.ok(),
                "the cloud answers again, and initialize fails with " + describe(again));
}

void writes_nothing_at_log_in(Trial& trial) {
  trial.need(kInitialize);
  trial.network.restart();
  trial.ready();
  const auto writes = trial.network.writes();
  Trial::expect(writes.empty(), "initialize changes the cloud on a standby: " +
                                    (writes.empty() ? std::string() : writes.front()));
}

// Without the configuration, or with one that nobody can read: a sentence, no crash.
void refuses(Trial& trial, const char* config, const char* what) {
  trial.need(kInitialize);
  if (config != nullptr) trial.host.config.set_cloud_config(config);
  const Outcome outcome = trial.run(kInitialize);
  if (outcome.ok()) Trial::skip(fmt::format("initialize succeeds with {}", what));
  Trial::expect(
      outcome.status.code() != Code::deadline_exceeded && outcome.status.code() != Code::internal,
      fmt::format("with {}, initialize ended with {}", what, describe(outcome.status)));
  Trial::expect(!outcome.status.message().empty(),
                fmt::format("with {}, initialize fails without a message", what));
}

void refuses_an_empty_configuration(Trial& trial) { refuses(trial, "", "an empty configuration"); }
void refuses_a_broken_configuration(Trial& trial) {
  refuses(trial, "\x01{[<\xff\xfe garbage \n\0\n", "a configuration of garbage");
}

void lives_with_a_broken_change(Trial& trial) {
  trial.ready();
  trial.need(kList);
  trial.machines(1);
  trial.run_well(kList);
  trial.host.config.change_cloud_config("\x01{[<\xff\xfe garbage");
  trial.host.loop.advance(15s);
  const Outcome outcome = trial.run(kList);
  Trial::expect(outcome.ok() || outcome.status.error_class() != ErrorClass::not_found,
                "a listing after the configuration broke ended with " + describe(outcome.status));
  Trial::expect(!outcome.ok() || !outcome.machines.instances.empty() || !outcome.machines.complete,
                "a listing after the configuration broke is empty, as if all instances were gone");
}

void keeps_secrets(Trial& trial) {
  const auto answer = trial.cloud.ask({{"do", "secrets"}});
  std::vector<std::string> secrets;
  if (!answer.is_null()) secrets = answer.value("secrets", secrets);
  if (secrets.empty()) Trial::skip("the cloud's command names no secrets");
  std::string said;
  const auto listen = [&](const Status& status) {
    said += std::string(status.message()) + "\n" + std::string(status.reason()) + "\n";
  };
  trial.ready();
  if (trial.offers(kList)) listen(trial.run(kList).status);
  // An answer that repeats what it was sent is the cloud's own word, which the log must not have.
  std::string echo = "you sent ";
  for (const std::string& secret : secrets) echo += secret + " ";
  for (const uint32_t code : {401U, 500U}) {
    for (const std::string& body : {std::string("{}"), echo}) {
      trial.network.break_all(Break::with(code, body));
      for (const Method* method : {&kInitialize, &kList}) {
        if (!trial.offers(*method)) continue;
        const Status status = trial.run(*method).status;
        if (body != echo) listen(status);
      }
      trial.network.restart();
    }
  }
  for (const std::string& secret : secrets) {
    Trial::expect(!trial.host.log.contains(secret), "a secret is in the log");
    Trial::expect(said.find(secret) == std::string::npos, "a secret is in the message of a status");
  }
}

// Whether a request after the first `before` ones has the text in a header or its body.
bool sent(Trial& trial, const std::string& text, std::size_t before) {
  const std::vector<HttpRequest> requests = trial.host.http.requests();
  return std::any_of(requests.begin() + static_cast<std::ptrdiff_t>(before), requests.end(),
                     [&](const HttpRequest& request) {
                       return request.body.find(text) != std::string::npos ||
                              std::any_of(request.headers.begin(), request.headers.end(),
                                          [&](const HttpHeader& header) {
                                            return header.value.find(text) != std::string::npos;
                                          });
                     });
}

// As an administrator does it: first the new one is there, then the old one is refused.
void takes_a_new_secret(Trial& trial) {
  trial.ready();
  trial.need(kList);
  trial.run_well(kList);
  std::vector<std::string> old;
  const nlohmann::json secrets = trial.started().value("secrets", nlohmann::json::object());
  for (const auto& [name, value] : secrets.items()) {
    if (!sent(trial, value.get<std::string>(), 0)) continue;
    old.push_back(value.get<std::string>());
    trial.host.config.set_secret(name, "rotated-" + name);
  }
  if (old.empty()) Trial::skip("no request has a secret as the host gave it");
  trial.network.break_all(Break::with(401, "{}"));
  (void)trial.run(kList);
  trial.host.loop.advance(61s);
  (void)trial.run(kList);
  const std::size_t before = trial.host.http.requests().size();
  (void)trial.run(kList);
  for (const std::string& secret : old) {
    Trial::expect(
        !sent(trial, secret, before),
        "a minute after a secret was rotated and the old one refused, requests still have "
        "the old one: read it for each log-in");
  }
}

void logs_out(Trial& trial) {
  trial.ready();
  trial.need(kShutdown);
  trial.host.leader.change(false);
  trial.network.restart();
  const auto before = trial.host.loop.now();
  const Outcome outcome = trial.finish(trial.begin(kShutdown, trial.host.contexts.make(5s)));
  const auto took = trial.host.loop.now() - before;
  Trial::expect(took <= 6s, "shutdown does not complete within 5 s");
  const auto writes = trial.network.writes();
  Trial::expect(writes.empty(),
                "shutdown sends a request that the host refuses without the Lease: " +
                    (writes.empty() ? std::string() : writes.front()) + "; set CCM_HTTP_READ_ONLY");
  Trial::expect(outcome.ok(), "shutdown failed with " + describe(outcome.status));
}

// Operations are cancelled, complete, and then the component is destroyed.
void ends_with_requests_in_flight(Trial& trial) {
  trial.ready();
  trial.need(kList);
  trial.run_well(kList);
  trial.need_http();
  trial.network.restart();
  trial.network.break_all({Break::Kind::hang});
  const Ctx ctx = trial.host.contexts.make(60s);
  const auto pending = trial.begin(kList, ctx);
  trial.host.loop.run_until([&] { return trial.network.count() > 0 || pending.done(); });
  if (pending.done()) Trial::skip("list answers without asking the cloud");
  trial.host.contexts.cancel(ctx);
  trial.run_now([&] { return pending.done(); });
  Trial::expect(pending.done(),
                "the host ends, and list does not complete although it was cancelled");
  trial.destroy();
}

}  // namespace

void add_provider_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"PROVIDER-01", "initialize succeeds with the author's configuration", kHeader,
        "ccm_provider.initialize", &logs_in},
       {"PROVIDER-02", "initialize succeeds later when the cloud did not answer at first", kHeader,
        "ccm_provider.initialize", &logs_in_again},
       {"PROVIDER-03", "initialize writes nothing to the cloud", kHeader, "ccm_provider.initialize",
        &writes_nothing_at_log_in},
       {"PROVIDER-04", "initialize refuses an empty configuration with a message", kHeader,
        "ccm_provider.initialize", &refuses_an_empty_configuration},
       {"PROVIDER-05", "initialize refuses a configuration of garbage with a message", kHeader,
        "ccm_provider.initialize", &refuses_a_broken_configuration},
       {"PROVIDER-06", "a configuration that breaks while it is used makes no instance vanish",
        "ccm/abi/config.h", "R-70", &lives_with_a_broken_change},
       {"PROVIDER-07", "no secret is in the log or in a status", "ccm/abi/status.h",
        "ccm_status.message", &keeps_secrets},
       {"PROVIDER-08", "shutdown succeeds within 5 s, and sends what is sent without the Lease",
        kHeader, "ccm_provider.shutdown, R-131", &logs_out},
       {"PROVIDER-09", "the component ends while the cloud does not answer", "ccm/abi/plugin.h",
        "R-51", &ends_with_requests_in_flight},
       {"PROVIDER-10", "a secret that was rotated is used", "ccm/abi/config.h",
        "ccm_host_config.secret", &takes_a_new_secret}});
}

}  // namespace ccm::conformance
