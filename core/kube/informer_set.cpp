#include "kube/informer.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace ccm::kube {
namespace asio = boost::asio;

InformerSet::InformerSet(Client client, InformerTiming timing,
                         std::function<void(const std::string& reason)> set_back)
    : client_(client), timing_(timing) {
  findings_->set_back = std::move(set_back);
}

InformerSet::~InformerSet() { stop(); }

std::shared_ptr<Informer> InformerSet::informer(const InformerSpec& spec) {
  for (const auto& informer : informers_) {
    if (informer->spec() == spec) return informer;
  }
  informers_.push_back(std::make_shared<Informer>(client_, spec, timing_, findings_));
  const std::weak_ptr<Informer> made = informers_.back();
  if (started_) {  // the caller has its fields to declare first
    asio::post(client_.executor(), [made] {
      if (const auto informer = made.lock()) informer->start();
    });
  }
  return informers_.back();
}

void InformerSet::start() {
  started_ = true;
  for (const auto& informer : informers_) informer->start();
}

void InformerSet::stop() {
  for (const auto& informer : informers_) informer->stop();
}

}  // namespace ccm::kube
