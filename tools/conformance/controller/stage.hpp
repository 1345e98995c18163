// The stage of a controller's case: a host in memory with the usual world, the tap, the component,
// and steps that cases share. A step that another case is about skips this one when it fails. A
// case may have several stages, one after the other; each stays until the process ends, unless the
// case destroys its component.
#pragma once

#include "conformance/call.hpp"
#include "conformance/case.hpp"
#include "conformance/trial.hpp"
#include "machines.hpp"
#include "tap.hpp"
#include "world.hpp"

#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/fake_host.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ccm::conformance {

using Reconciling = testing::Pending<Result<ReconcileResult>>;

class Stage {
 public:
  // The stage for that controller of the plugin. It lives as long as the process.
  static Stage& make(Trial& trial, const std::string& component);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  testing::FakeHost host;
  Machines machines{host};
  Tap tap{host};
  Trial& trial;

  // Stores an object in the API server.
  void put(const WorldObject& object);
  void remove(const std::string& resource, const std::string& name,
              const std::string& namespace_name = {});
  // Objects that were put: resource, namespace, name.
  struct Place {
    std::string resource;
    std::string namespace_name;
    std::string name;
    bool operator==(const Place&) const = default;
  };
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }

  testing::FakeController& created();
  // The controller, set up, with an object of each resource that it watches; not reconciled yet.
  testing::FakeController& ready();
  // The end of setup, for cases about it.
  Status set_up();
  // Reconciles what is due.
  void run();
  // Reconciles what is due, then what comes as time passes and watches resync.
  void settle();
  // Reconciles what is due, without ready(), which may skip the case.
  void run_due() { created().run(); }

  // Keys that wait.
  std::vector<std::string> keys();
  Reconciling begin(const std::string& key, const Ctx& ctx);
  // One reconcile to its end; skips when it does not complete.
  Result<ReconcileResult> reconcile(const std::string& key);
  Result<ReconcileResult> finish(const Reconciling& pending);
  bool run_now(const std::function<bool()>& done) { return conformance::run_now(host.loop, done); }
  // Whether a reconcile never completed, completed twice, or threw: another case's business.
  void skip_when_broken();

  // Ends the component as the host does.
  void stop_and_destroy();
  void destroy();
  // Ends the component; the next one is made in the same world.
  void restart();

  // The state of the API server and of the cloud, as names of members and counts.
  std::string form();
  // The state with all values, but for versions and times.
  std::string content();

 private:
  Stage(Trial& the_trial, std::string component);
  void configure();
  WorldJson world();

  std::string component_;
  const ccm_plugin* plugin_ = nullptr;
  std::unique_ptr<testing::FakeController> controller_;
  bool set_up_ = false;
  std::vector<Place> places_;
};

// Adds a case that runs with each controller of the plugin.
using ControllerCase = void (*)(Trial& trial, const std::string& component);
void add_case(Cases& cases, std::string id, std::string title, std::string header, std::string rule,
              ControllerCase run);

}  // namespace ccm::conformance
