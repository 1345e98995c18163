// The stage of one case: a host in memory, the author's cloud, the plugin, and steps that cases
// share. A step that another case is about skips this one when it fails, so that a fault of the
// plugin fails the case that is meant for it and no other. Lives in a process of its own.
#pragma once

#include "call.hpp"
#include "cloud.hpp"
#include "method.hpp"
#include "network.hpp"
#include "subject.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/fake_host.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::conformance {

class Machines;

// How a case ends early.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The settings that all cases of a run share.
struct Settings {
  Subject subject;
  std::string cloud_command;                 // empty = no cloud
  int messages = 2;                          // for the cloud command's standard error
  std::string directory;                     // of this case, empty
  std::optional<std::string> cloud_config;   // text; instead of the cloud command's
  std::map<std::string, std::string> flags;  // besides the cloud command's
  uint64_t seed = 1;
  // A real cloud. What is made there has names that begin with `prefix`, and is written down.
  testing::FakeHttp::Handler send;
  std::string prefix;
  uint64_t cluster_seed = 0;  // of the cluster's UID, for all cases of a run
  int ledger = -1;            // a file; see live.hpp
};

struct Machine {
  std::string name;
  std::string provider_id;
};

// Runs the loop, with the clock standing still, until `done` or nothing can make it true.
bool run_now(testing::FakeLoop& loop, const std::function<bool()>& done);

class Trial {
 public:
  explicit Trial(const Settings& settings);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  testing::FakeHost host;
  Cloud cloud;
  Network network;
  const Settings& settings;
  [[nodiscard]] const Subject& subject() const { return settings.subject; }
  [[nodiscard]] bool live() const { return settings.send != nullptr; }
  [[nodiscard]] std::string cluster_name() const {
    return live() ? settings.prefix : "conformance";
  }
  // The UID of the namespace kube-system.
  [[nodiscard]] std::string cluster_uid() const;

  [[noreturn]] static void fail(const std::string& why) { throw Failure(why); }
  [[noreturn]] static void skip(const std::string& why) { throw Skip(why); }
  static void expect(bool holds, const std::string& otherwise) {
    if (!holds) fail(otherwise);
  }

  // The component; skips when it cannot be made.
  testing::FakeComponent& created();
  // The component, logged in.
  testing::FakeComponent& ready();
  // The answer of the cloud's command to "start".
  [[nodiscard]] const nlohmann::json& started() const { return started_; }
  // Ends the component, if there is one, as the host does.
  void destroy();
  // Ends another component as the host does.
  static void destroy(testing::FakeComponent& component);
  // Skips when the provider has no such function.
  void need(const Method& method);
  [[nodiscard]] bool offers(const Method& method);
  // Skips when the plugin asks its cloud for nothing through the host's HTTP.
  void need_http();

  // Operations. `number`: which Service or route.
  testing::Pending<Outcome> begin(const Method& method, const Ctx& ctx, int number = 0,
                                  Shape shape = Shape::plain);
  Outcome finish(const testing::Pending<Outcome>& pending) { return created().finish(pending); }
  Outcome run(const Method& method, int number = 0, Shape shape = Shape::plain);
  // Runs a call. While the cloud works on a change of routes, time passes and it is asked
  // for again, as the host does.
  Outcome run(const char* name, const Call& call, std::chrono::seconds limit);
  // As run(); skips unless it succeeds with a sound result.
  Outcome run_well(const Method& method, int number = 0);
  bool run_now(const std::function<bool()>& done) { return conformance::run_now(host.loop, done); }

  // The cloud. Adds instances if it can; skips unless there are `count`.
  std::vector<Machine> machines(std::size_t count);
  // How many load balancers the cloud has; nothing when its command does not say.
  std::optional<std::size_t> count_load_balancers();
  // Asks the cloud's command; skips when it cannot do that.
  nlohmann::json ask(const nlohmann::json& question);
  // As ask(); null when it cannot.
  nlohmann::json try_to_ask(const nlohmann::json& question);

  // From here on changed() says what the plugin changed in the cloud; empty = nothing. Skips when
  // nobody can tell.
  void watch_cloud();
  [[nodiscard]] std::string changed();
  // The cloud's load balancers and routes; skips when its command cannot tell.
  nlohmann::json need_snapshot();

  // Service `number`: what is asked of the provider for it. A case may change it.
  LoadBalancerService& service(int number);
  // From here on Service `number` is another one of that name, whose UID is another, too.
  void make_anew(int number);
  Backends& backends();
  void choose_backends(const std::vector<Machine>& targets);
  // As a case found them.
  void reset_backends() { backends_ = all_backends_; }
  Route route(int number);
  // ensure until the load balancer is there; skips when it fails.
  LoadBalancer ensured(int number = 0);
  Outcome ensure_until_active(int number);
  // remove until nothing is left, or a failure.
  Status removed(int number);
  // The routes that the cloud has.
  std::vector<Route> listed_routes();

 private:
  testing::FakeComponent* component();  // NULL = not made
  void write_down(const Method& method, int number) const;
  void live_as_controller();
  void configure();
  nlohmann::json snapshot();

  std::unique_ptr<testing::FakeComponent> component_;
  std::unique_ptr<testing::FakeController> controller_;  // when the subject is one
  std::unique_ptr<Machines> machines_of_controller_;
  nlohmann::json started_ = nlohmann::json::object();
  bool made_ = false;
  bool logged_in_ = false;
  std::vector<Machine> machines_;
  std::map<int, LoadBalancerService> services_;
  std::optional<Backends> backends_;
  std::optional<Backends> all_backends_;
  nlohmann::json snapshot_;
};

// Threads of this process, the loop's included.
[[nodiscard]] long count_threads();

std::string describe(const Status& status);

}  // namespace ccm::conformance
