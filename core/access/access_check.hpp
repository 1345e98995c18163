// Whether this process, and the service accounts of its controllers where they have some, may do
// what the plugins and the host declare. Asks the API server with SelfSubjectAccessReviews at
// start, leader or not. One log line names the missing rights. A plugin without a required right
// waits until it is granted; the others go on. If the API server does not answer the reviews,
// nobody waits. Loop thread. Its coroutine runs on the clients' executor.
#pragma once

#include "access/access_rules.hpp"
#include "kube/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::access {

// A plugin, or the host itself, with everything that it will ask of the API server.
struct AccessSubject {
  std::string name;  // the plugin's id, or kHostSubject
  Permissions permissions;
};

struct AccessCheckOptions {
  std::size_t parallel = 4;                         // questions at once
  std::chrono::milliseconds call_timeout{3'000};    // the first that gets no answer ends the round
  std::chrono::milliseconds first_pause{1'000};     // between two rounds; doubles each time
  std::chrono::milliseconds longest_pause{30'000};  // for a role that somebody has yet to create
  std::chrono::milliseconds idle_pause{300'000};    // while nobody waits for a right
};

// Both may be empty.
struct AccessCallbacks {
  // The missing rights of a subject have changed; empty: nothing is missing any more.
  std::function<void(const AccessSubject& subject, const Permissions& missing)> changed;
  std::function<void()> answered;  // a round has ended: allows() may have become true
};

class AccessCheck {
 public:
  // The client of a service account, or of the program itself for "". All on one executor.
  using Clients = std::function<kube::Client(const std::string& service_account)>;

  AccessCheck(Clients clients, std::vector<AccessSubject> subjects, AccessCheckOptions options,
              AccessCallbacks callbacks);
  ~AccessCheck();  // as stop()
  AccessCheck& operator=(AccessCheck&&) = delete;

  // Asks until everything is granted or nobody answers; then it ends. Once.
  boost::asio::awaitable<void> run();
  // Lets run() end soon. Nothing is reported any more.
  void stop();

  // Whether the subject has all that it needs, as far as is known. false before the first round has
  // ended; true for a name that was not given.
  [[nodiscard]] bool allows(std::string_view name) const;
  // The required rights that it is known to lack, as "get, list nodes"; empty when it lacks
  // nothing.
  [[nodiscard]] std::string needs(std::string_view name) const;
  // The missing rights of every subject that lacks a required one, by its name.
  [[nodiscard]] std::map<std::string, std::string> needs() const;
  // Resumes when allows(name), or after stop().
  boost::asio::awaitable<void> wait(std::string name);
  // The API server did not answer the reviews, so nothing is known.
  [[nodiscard]] bool mute() const;
  // One line for people: "all granted", or who waits for what and who goes on without what.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// One SelfSubjectAccessReview (API-122), and what an answer says; data_loss when it is none.
std::string self_review(const Permission& permission);
Result<bool> allowed_in_review(const std::string& answer);

}  // namespace ccm::access
