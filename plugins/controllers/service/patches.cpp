#include "patches.hpp"

#include "ingress.hpp"
#include "names.hpp"

#include <ccm/json_writer.hpp>

namespace ccm::service {
namespace {

void write_condition(JsonWriter& json, const Condition& condition) {
  json.object([&] {
    json.member("type").text(condition.type);
    json.member("status").text(condition.holds ? "True" : "False");
    json.member("reason").text(condition.reason);
    json.member("message").text(condition.message);
    json.member("lastTransitionTime").text(condition.transition);
  });
}

void write_removal(JsonWriter& json, const std::string& type) {
  json.object([&] {
    json.member("$patch").text("delete");
    json.member("type").text(type);
  });
}

// The order is only a hint, but without it ours would be first (SVC-40, SVC-41).
void write_finalizers(JsonWriter& json, const std::vector<std::string>& others,
                      ServicePatch::Finalizer change) {
  const bool adds = change == ServicePatch::Finalizer::add;
  if (!others.empty()) {
    json.member("$setElementOrder/finalizers").array([&] {
      for (const std::string& other : others) json.text(other);
      if (adds) json.text(kFinalizer);
    });
  }
  json.member(adds ? "finalizers" : "$deleteFromPrimitiveList/finalizers");
  json.array([&] { json.text(kFinalizer); });
}

void write_annotations(JsonWriter& json, const std::vector<Label>& annotations) {
  json.member("annotations").object([&] {
    for (const Label& annotation : annotations) {
      json.member(annotation.key);
      if (annotation.value.empty()) {
        json.null();
      } else {
        json.text(annotation.value);
      }
    }
  });
}

}  // namespace

bool ServicePatch::empty() const {
  return finalizer == Finalizer::keep && annotations.empty() && !ingress && conditions.empty() &&
         removed_conditions.empty();
}

void ServicePatch::annotate(const ServiceState& service, const std::string& key,
                            const std::string& value) {
  const bool there = service.annotations.contains(key);
  if (value.empty() ? there : !there || service.annotation(key) != value) {
    annotations.push_back({key, value});
  }
}

void ServicePatch::set_ingress(const ServiceState& service, const std::vector<Ingress>& wanted) {
  if (!same_ingress(service.ingress, wanted)) ingress = wanted;
}

void ServicePatch::remove_condition(const ServiceState& service, std::string_view type) {
  if (service.condition(type) != nullptr) removed_conditions.emplace_back(type);
}

KubePatch ServicePatch::render(const ServiceState& service) const {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(service.uid);
      if (finalizer != Finalizer::keep) write_finalizers(json, service.other_finalizers, finalizer);
      if (!annotations.empty()) write_annotations(json, annotations);
    });
    if (!ingress && conditions.empty() && removed_conditions.empty()) return;
    json.member("status").object([&] {
      if (ingress) {
        json.member("loadBalancer").object([&] {
          json.member("ingress");
          if (ingress->empty()) {
            json.null();
          } else {
            write_ingress(json, *ingress);
          }
        });
      }
      if (conditions.empty() && removed_conditions.empty()) return;
      json.member("conditions").array([&] {
        for (const Condition& condition : conditions) write_condition(json, condition);
        for (const std::string& type : removed_conditions) write_removal(json, type);
      });
    });
  });
  KubePatch patch;
  patch.reference.resource = kServices;
  patch.reference.name = service.name;
  patch.reference.namespace_name = service.namespace_name;
  patch.reference.subresource = "status";
  patch.type = PatchType::strategic;
  patch.body = std::move(json).str();
  return patch;
}

}  // namespace ccm::service
