#include "cloud/broker/load_balancer_notes.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

std::string key_of_service(const LoadBalancerService& service) {
  return service.namespace_name + "/" + service.name;
}

}  // namespace

void LoadBalancerNotes::answered(const LoadBalancerService& service,
                                 const Result<LoadBalancer>& answer) {
  const bool elsewhere = answer.status().code() == Code::implemented_elsewhere;
  if (!answer.ok() && !elsewhere) return;
  if (answer.ok() && answer->state == LoadBalancerState::absent) return forget(service);
  Note& note = notes_.write(key_of_service(service));
  if (note.uid != service.uid) note = Note{service.uid, {}, {}};
  note.at = timers_.now();
  LoadBalancerReport& report = note.report;
  if (elsewhere) {
    if (report.id.empty()) report.id = service.id;
    report.state = LoadBalancerState::absent;
    report.left_alone = answer.status().message();
    return;
  }
  report.left_alone.clear();
  report.id = answer->id.empty() ? service.id : answer->id;
  report.name = answer->name;
  report.state = answer->state;
  report.addresses.clear();
  for (const Ingress& ingress : answer->ingress) {
    report.addresses.push_back(ingress.ip.empty() ? ingress.hostname : ingress.ip);
  }
}

void LoadBalancerNotes::forget(const LoadBalancerService& service) {
  const std::string key = key_of_service(service);
  const Note* note = notes_.find(key);
  if (note != nullptr && note->uid == service.uid) notes_.erase(key);
}

std::string LoadBalancerNotes::id_of(const LoadBalancerService& service) const {
  const Note* note = notes_.find(key_of_service(service));
  return note != nullptr && note->uid == service.uid ? note->report.id : std::string();
}

std::optional<LoadBalancerReport> LoadBalancerNotes::find(std::string_view service) const {
  const Note* note = notes_.find(service);
  if (note == nullptr) return std::nullopt;
  LoadBalancerReport report = note->report;
  report.since = timers_.now() - note->at;
  return report;
}

}  // namespace ccm::plugin
