// This controller's only write to a Service: a strategic merge patch of its status subresource,
// which may contain finalizers and annotations as well (SVC-39, SVC-40). It names only changed
// fields, so writes of others are kept, and carries the uid, so it never reaches another Service of
// that name. Any thread.
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
  // Sets or removes (empty value) an annotation, unless the Service already has that state.
  void annotate(const ServiceState& service, const std::string& key, const std::string& value);
  // Replaces the status' ingress, unless it is equal.
  void set_ingress(const ServiceState& service, const std::vector<Ingress>& wanted);
  // Removes an existing condition.
  void remove_condition(const ServiceState& service, std::string_view type);

  [[nodiscard]] KubePatch render(const ServiceState& service) const;
};

}  // namespace ccm::service
