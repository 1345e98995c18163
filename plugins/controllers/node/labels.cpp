#include "labels.hpp"

#include "names.hpp"

#include <ccm/label_syntax.hpp>

#include <utility>

namespace ccm::node {
namespace {

void set(LabelPlan& plan, const Labels& existing, std::string_view key, const std::string& value) {
  const auto place = existing.find(key);
  if (place == existing.end() || place->second != value) plan.set.emplace(key, value);
}

// One fact of the cloud under its two names.
void set_pair(LabelPlan& plan, const Labels& existing, const CloudLabel& label,
              const std::string& value) {
  if (value.empty()) return;
  if (!is_label_value(value)) {
    plan.rejected.push_back(
        {std::string(label.key), value, "the value is no valid label value", true});
    return;
  }
  set(plan, existing, label.beta_key, value);
  set(plan, existing, label.key, value);
}

void add_additional(LabelPlan& plan, const Labels& existing, const Label& label) {
  if (is_kubernetes_key(label.key)) {
    plan.rejected.push_back({label.key, label.value, "the key belongs to Kubernetes", false});
    return;
  }
  if (!is_label_key(label.key) || !is_label_value(label.value)) {
    plan.rejected.push_back({label.key, label.value, "it is no valid label", true});
    return;
  }
  const auto place = existing.find(label.key);
  if (place == existing.end()) {
    plan.set.emplace(label.key, label.value);
  } else if (place->second != label.value) {
    plan.rejected.push_back({label.key, label.value, "the Node has another value", false});
  }
}

}  // namespace

LabelPlan plan_labels(const Labels& existing, const Instance& instance) {
  LabelPlan plan;
  for (const CloudLabel& label : kCloudLabels)
    set_pair(plan, existing, label, instance.*label.fact);
  for (const Label& label : instance.labels) add_additional(plan, existing, label);
  return plan;
}

Labels repaired_labels(const Labels& existing) {
  Labels repaired;
  for (const CloudLabel& label : kCloudLabels) {
    const auto beta = existing.find(label.beta_key);
    if (beta == existing.end()) continue;
    const auto newer = existing.find(label.key);
    if (newer == existing.end() || newer->second != beta->second) {
      repaired.emplace(label.key, beta->second);
    }
  }
  return repaired;
}

LabelChanges changed_labels(const Labels& existing, const Instance& instance, bool topology) {
  LabelPlan plan;
  LabelPlan left;
  for (const CloudLabel& label : kCloudLabels) {
    if (!existing.contains(label.beta_key) && !existing.contains(label.key)) continue;
    set_pair(label.topology && !topology ? left : plan, existing, label, instance.*label.fact);
  }
  // A missing name contradicts nothing.
  std::erase_if(left.set, [&](const auto& one) { return !existing.contains(one.first); });
  return {std::move(plan.set), std::move(left.set)};
}

bool is_kubernetes_key(std::string_view key) {
  for (const std::string_view domain : {"kubernetes.io/", "k8s.io/"}) {
    for (size_t place = key.find(domain); place != std::string_view::npos;
         place = key.find(domain, place + 1)) {
      if (place == 0 || key[place - 1] == '.') return true;
    }
  }
  return false;
}

}  // namespace ccm::node
