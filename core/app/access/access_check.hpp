// Whether the credential of this process may do what the plugins and the host declare: asked by
// SelfSubjectAccessReviews at start, before and whether or not this process leads. What is missing
// is named in one line, and who misses something that it needs waits until it is there; nobody else
// does. An API server that does not answer such questions holds up nobody.
// Loop thread. Its coroutine runs on the client's executor.
#pragma once

#include "kube/client.hpp"
#include "plugin_files/access_rules.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

// A plugin, or the host itself, with everything that it will ask of the API server.
struct AccessSubject {
  std::string name;  // the plugin's id, or plugin::kHostAsker
  plugin::Permissions permissions;
};

struct AccessCheckOptions {
  std::size_t parallel = 4;                         // questions at once
  std::chrono::milliseconds call_timeout{3'000};    // the first that gets no answer ends the round
  std::chrono::milliseconds first_pause{1'000};     // between two rounds; doubles each time
  std::chrono::milliseconds longest_pause{30'000};  // a role that was forgotten is made by hand
  std::chrono::milliseconds idle_pause{300'000};    // while nobody waits for what is missing
};

// Both may be empty.
struct AccessCallbacks {
  // What a subject lacks is something else than before; empty: nothing any more.
  std::function<void(const AccessSubject& subject, const plugin::Permissions& missing)> changed;
  std::function<void()> answered;  // a round has ended: allows() may have become true
};

class AccessCheck {
 public:
  AccessCheck(kube::Client client, std::vector<AccessSubject> subjects, AccessCheckOptions options,
              AccessCallbacks callbacks);
  ~AccessCheck();  // as stop()
  AccessCheck(const AccessCheck&) = delete;
  AccessCheck& operator=(const AccessCheck&) = delete;

  // Asks until everything is granted or nobody answers; then it ends. Once.
  boost::asio::awaitable<void> run();
  // Lets run() end soon. Nothing is reported any more.
  void stop();

  // Whether the subject has all that it needs, as far as is known. false before the first round has
  // ended; true for a name that was not given.
  [[nodiscard]] bool allows(std::string_view name) const;
  // What it needs and is known to lack, as "get, list nodes"; empty when it lacks nothing.
  [[nodiscard]] std::string needs(std::string_view name) const;
  // The same of everybody who lacks something that it needs, by name.
  [[nodiscard]] std::map<std::string, std::string> needs() const;
  // Resumes when allows(name), or after stop().
  boost::asio::awaitable<void> wait(std::string name);
  // One line for people: "all granted", or who waits for what and who goes on without what.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// One SelfSubjectAccessReview (API-122), and what an answer says; data_loss when it is none.
std::string self_review(const plugin::Permission& permission);
Result<bool> allowed_in_review(const std::string& answer);

}  // namespace ccm::app
