// The one write that this controller makes to a Service: a strategic merge patch of its status
// subresource, where finalizers and annotations can be written as well (SVC-39, SVC-40). It names
// only what it changes, so other writers lose nothing, and carries the uid, so it never reaches
// another Service of that name. Any thread.
#pragma once

#include "service_state.hpp"

#include <ccm/kube.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::service {

struct ServicePatch {
  enum class Finalizer { keep, add, remove };

  Finalizer finalizer = Finalizer::keep;
  std::vector<Label> annotations;  // an empty value removes the annotation
  std::optional<std::vector<Ingress>> ingress;
  std::vector<Condition> conditions;            // set, by type
  std::vector<std::string> removed_conditions;  // types

  [[nodiscard]] bool empty() const;
  // Sets or removes (empty value) an annotation, unless the Service has it so already.
  void annotate(const ServiceState& service, const std::string& key, const std::string& value);
  // Replaces the status' ingress, unless it says the same.
  void set_ingress(const ServiceState& service, const std::vector<Ingress>& wanted);
  // Removes a condition that is there.
  void remove_condition(const ServiceState& service, std::string_view type);

  [[nodiscard]] KubePatch render(const ServiceState& service) const;
};

}  // namespace ccm::service
