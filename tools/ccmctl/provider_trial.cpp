#include "provider_trial.hpp"

#include "child.hpp"
#include "conformance/trial.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"
#include "plugin_files/loader.hpp"

#include <ccm/trim.hpp>

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <clocale>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace ccm::ctl {
namespace {

using conformance::Outcome;
using conformance::Trial;
using nlohmann::ordered_json;
using Answer = testing::FakeHttp::Answer;

std::string_view name_of_state(InstanceState state) {
  switch (state) {
    case InstanceState::running:
      return "running";
    case InstanceState::shutdown:
      return "shutdown";
    case InstanceState::terminated:
      return "terminated";
    case InstanceState::absent:
      return "absent";
    case InstanceState::starting:
      return "starting";
    case InstanceState::unknown:
      break;
  }
  return "unknown";
}

ordered_json json_of(const Instance& machine) {
  ordered_json addresses = ordered_json::array();
  for (const NodeAddress& address : machine.addresses) {
    addresses.push_back({{"type", address.type}, {"address", address.address}});
  }
  ordered_json labels = ordered_json::object();
  for (const Label& label : machine.labels) labels[label.key] = label.value;
  return {{"name", machine.name},
          {"providerID", machine.provider_id},
          {"state", name_of_state(machine.state)},
          {"instanceType", machine.instance_type},
          {"zone", machine.zone},
          {"region", machine.region},
          {"addresses", std::move(addresses)},
          {"labels", std::move(labels)}};
}

boost::asio::awaitable<void> exchange(net::HttpClient& client, net::Request request,
                                      std::optional<Result<net::Response>>& outcome) {
  auto answer = co_await client.send(std::move(request));
  outcome.emplace(std::move(answer));
  client.close_idle();
}

// Over the network, as the host would, but without repeating it.
Answer carry_out(const HttpRequest& request) {
  boost::asio::io_context loop;
  net::ClientOptions options;
  options.proxy_from_environment = true;
  options.user_agent = "ccmctl";
  net::HttpClient client(loop.get_executor(), options);
  net::Request raw;
  raw.method = request.method;
  raw.url = request.url;
  raw.body = request.body;
  for (const HttpHeader& header : request.headers)
    raw.headers.push_back({header.name, header.value});
  std::optional<Result<net::Response>> outcome;
  net::spawn(loop.get_executor(), exchange(client, std::move(raw), outcome));
  loop.run();
  Answer answer;
  if (!outcome->ok()) {
    answer.outcome = outcome->status();
    return answer;
  }
  HttpResponse response{(*outcome)->status, {}, (*outcome)->body};
  for (const net::Header& header : (*outcome)->headers) {
    std::string name = header.name;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    response.headers.push_back({std::move(name), header.value});
  }
  answer.outcome = std::move(response);
  return answer;
}

// The secrets that the host would find: the file that NAME_FILE names, else the variable NAME.
void take_secrets(testing::FakeConfig& config) {
  constexpr std::string_view kFile = "_FILE";
  std::map<std::string, std::string> files;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const std::string value(text.substr(equals + 1));
    config.set_secret(name, value);
    if (name.ends_with(kFile)) files[name.substr(0, name.size() - kFile.size())] = value;
  }
  for (const auto& [name, path] : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (file.is_open()) config.set_secret(name, std::string(trim(text)));
  }
}

// Why the operation did not succeed; empty when it did.
std::string fault_of(const char* operation, const Outcome& outcome) {
  if (!outcome.ok())
    return fmt::format("{} ended with {}", operation, conformance::describe(outcome.status));
  if (outcome.problems.empty()) return {};
  return fmt::format("the result of {} is wrong: {}", operation, outcome.problems.front());
}

std::string run_operations(Trial& trial, ordered_json& machines) {
  if (!trial.created().created().ok()) return "the component cannot be made";
  if (trial.offers(conformance::kInitialize)) {
    const std::string fault = fault_of("initialize", trial.run(conformance::kInitialize));
    if (!fault.empty()) return fault;
  }
  if (!trial.offers(conformance::kList)) {
    return "the provider has no list: it is asked for single instances only";
  }
  const Outcome listed = trial.run(conformance::kList);
  for (const Instance& machine : listed.machines.instances) machines.push_back(json_of(machine));
  return fault_of("list", listed);
}

ordered_json outcome_of(const std::string& failure) {
  return {
      {"failure", failure}, {"machines", ordered_json::array()}, {"log", ordered_json::array()}};
}

ordered_json try_here(const ProviderTrialOptions& options, const ccm_plugin* plugin) {
  conformance::Settings settings;
  settings.subject = conformance::Subject::of(plugin);
  settings.cloud_command = options.cloud_command;
  settings.cloud_config = options.cloud_config;
  settings.flags = options.flags;
  Trial trial(settings);
  take_secrets(trial.host.config);
  if (options.cloud_command.empty()) {
    trial.host.http.handle(&carry_out);
    // Signatures carry the time.
    trial.host.wall_clock_begin = std::chrono::duration_cast<std::chrono::milliseconds>(
                                      std::chrono::system_clock::now().time_since_epoch()) -
                                  trial.host.loop.now();
  }
  ordered_json outcome = outcome_of("");
  outcome["failure"] = run_operations(trial, outcome["machines"]);
  if (!trial.network.fault().empty()) outcome["failure"] = trial.network.fault();
  for (const auto& line : trial.host.log.lines()) {
    if (line.level <= CCM_LOG_WARNING) outcome["log"].push_back(line.text());
  }
  trial.destroy();
  trial.cloud.end();
  return outcome;
}

void be_the_trial(const ProviderTrialOptions& options, int report) {
  std::setlocale(LC_ALL, "C");
  const auto tell = [report](const ordered_json& outcome) {
    write_report(report, outcome.dump(-1, ' ', true, ordered_json::error_handler_t::replace));
  };
  plugin::Loader loader;
  const auto loaded = loader.load(options.file);
  if (!loaded) return tell(outcome_of(loaded.status().message()));
  try {
    tell(try_here(options, loaded->plugin));
  } catch (const std::exception& fault) {
    tell(outcome_of(fault.what()));
  }
  ::_exit(0);
}

}  // namespace

ordered_json try_provider(const ProviderTrialOptions& options) {
  const ChildEnd end =
      run_in_child([&](int report) { be_the_trial(options, report); }, options.limit);
  const ordered_json told = ordered_json::parse(end.report, nullptr, false);
  if (!end.failure.empty()) return outcome_of(end.failure);
  if (told.is_object()) return told;
  if (!end.in_time) {
    return outcome_of(fmt::format("did not end within {} s", options.limit.count() / 1000.0));
  }
  if (WIFSIGNALED(end.status)) {
    return outcome_of(fmt::format("crashed with {}", signal_name(WTERMSIG(end.status))));
  }
  return outcome_of(fmt::format("ended the process with exit code {}", WEXITSTATUS(end.status)));
}

}  // namespace ccm::ctl
