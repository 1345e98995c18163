#include "app/client_factory.hpp"

#include "access/access_rules.hpp"
#include "base/version.hpp"

#include <utility>

namespace ccm::app {
namespace {

// Initialising thousands of Nodes at once records as many Events, and the API server has to handle
// both.
constexpr std::chrono::milliseconds kEventPause{250};

// Flags left at their defaults set no limit: the API server's own answers do (429 and Retry-After).
// 20 requests a second were chosen for servers without priority and fairness.
double effective_qps(const CommandLine& line) {
  if (!line.is_set("kube-api-qps") && !line.is_set("kube-api-burst")) return -1;
  const float qps = line.options().client_connection.qps;
  return qps == 0 ? 5 : static_cast<double>(qps);
}

int effective_burst(const CommandLine& line) {
  const int burst = line.options().client_connection.burst;
  return burst == 0 ? 10 : burst;
}

}  // namespace

ClientFactory::ClientFactory(const boost::asio::any_io_executor& executor,
                             kube::ClientConfig config, const CommandLine& command_line,
                             Gates gates, Observer observer)
    : qps_(effective_qps(command_line)),
      burst_(effective_burst(command_line)),
      gates_(std::move(gates)),
      observer_(std::move(observer)),
      root_(executor, std::move(config), options("")) {}

std::string ClientFactory::user_agent_of(std::string_view name) {
  return user_agent("cloud-controller-manager", name);
}

kube::ClientOptions ClientFactory::options(std::string_view name) const {
  kube::ClientOptions result;
  result.qps = qps_;
  result.burst = burst_;
  result.user_agent = user_agent_of(name);
  result.observer = observer_;
  return result;
}

const kube::Client& ClientFactory::connection_of(const std::string& account) const {
  const auto known = accounts_.find(account);
  if (known != accounts_.end()) return known->second;
  const kube::ServiceAccount who{std::string(access::kAccountNamespace), account};
  auto token = std::make_shared<kube::ServiceAccountToken>(client(""), who, clock_);
  kube::ClientConfig config = root_.config().anonymous();
  config.source = "service account " + account;
  config.token_source = token;
  tokens_.emplace(account, std::move(token));
  kube::Client connection(root_.executor(), std::move(config), options(who.user()));
  return accounts_.emplace(account, std::move(connection)).first->second;
}

kube::Client ClientFactory::derive(const std::string& account, kube::ClientOptions own) const {
  if (account.empty()) return root_.derive(std::move(own));
  own.user_agent = user_agent_of(access::user_of_account(account));
  return connection_of(account).derive(std::move(own));
}

kube::Client ClientFactory::writer(std::string_view name, const std::string& account) const {
  kube::ClientOptions own = options(name);
  own.gate = gates_.objects;
  return derive(account, std::move(own));
}

kube::Client ClientFactory::event_writer(std::string_view name, const std::string& account) const {
  kube::ClientOptions own = options(name);
  own.gate = gates_.events;
  own.yield_to_writes = kEventPause;
  return derive(account, std::move(own));
}

kube::Client ClientFactory::separate(const boost::asio::any_io_executor& executor,
                                     std::string_view name) const {
  return kube::Client(executor, root_.config(), options(name));
}

}  // namespace ccm::app
