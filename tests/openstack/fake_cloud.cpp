#include "openstack/cloud.hpp"
#include "openstack_api/cloud.hpp"

namespace ccm::openstack_contract {
namespace {

using openstack_api::milliseconds;

constexpr const char* kUrl = "http://fake";

class FakeCloud : public Cloud {
 public:
  FakeCloud() : FakeCloud(std::make_unique<State>()) {}

  Answer send(const Request& request) override {
    openstack_api::Request asked = {
        request.method, request.url.substr(std::string(kUrl).size()), {}, request.body};
    for (const auto& [name, value] : request.headers) {
      std::string lower = name;
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      asked.headers[lower] = value;
    }
    const openstack_api::Answer answered = state_->cloud.handle(asked);
    return {answered.status, answered.headers, answered.body};
  }

  void wait() override { state_->now += milliseconds(200); }
  void set_status(const std::string& collection, const std::string& id,
                  const std::string& status) override {
    state_->cloud.region().load_balancing.set_status(id, status, collection);
  }

 private:
  struct State {
    milliseconds now{1'800'000'000'000};
    openstack_api::Cloud cloud{[this] { return now; }, kUrl};
  };

  explicit FakeCloud(std::unique_ptr<State> state)
      : Cloud(openstack_api::populate(state->cloud)), state_(std::move(state)) {
    openstack_api::Region& region = state_->cloud.region();
    region.compute.action_time = milliseconds(1'000);
    region.load_balancing.create_time = milliseconds(2'000);
    region.load_balancing.update_time = milliseconds(500);
    region.load_balancing.delete_time = milliseconds(500);
  }

  std::unique_ptr<State> state_;
};

}  // namespace

std::unique_ptr<Cloud> fake() { return std::make_unique<FakeCloud>(); }

}  // namespace ccm::openstack_contract
