#include "api/base64.hpp"
#include "api/names.hpp"
#include "api/resource.hpp"

namespace sandbox {
namespace {

void require_text(const Json& object, const char* member, std::size_t limit,
                  std::vector<Cause>& causes) {
  std::string text = object.value(member, "");
  if (text.empty()) causes.push_back(required_value(member, ""));
  if (text.size() > limit) {
    causes.push_back(
        invalid_value(member, "", "can have at most " + std::to_string(limit) + " characters"));
  }
}

void validate_event(const Json*, const Json& object, std::vector<Cause>& causes) {
  const Json& involved = member_or_null(object, "involvedObject");
  std::string theirs = involved.value("namespace", "");
  const std::string& ours = metadata_text(object, "namespace");
  bool new_style = object.contains("eventTime");
  bool agree = theirs == ours;
  if (theirs.empty()) agree = ours == "default" || (new_style && ours == "kube-system");
  if (new_style && !theirs.empty()) agree = true;
  if (!agree) {
    causes.push_back(
        invalid_value("involvedObject.namespace", theirs, "does not match event.namespace"));
  }
  if (!new_style) return;
  require_text(object, "reportingComponent", 253, causes);
  require_text(object, "reportingInstance", 128, causes);
  require_text(object, "action", 128, causes);
  require_text(object, "reason", 128, causes);
  if (object.value("message", "").size() > 1024) {
    causes.push_back(invalid_value("message", "", "can have at most 1024 characters"));
  }
}

void validate_lease(const Json*, const Json& object, std::vector<Cause>& causes) {
  const Json& spec = object["spec"];
  const Json& duration = member_or_null(spec, "leaseDurationSeconds");
  if (duration.is_number() && duration <= 0) {
    causes.push_back(
        invalid_value("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  const Json& transitions = member_or_null(spec, "leaseTransitions");
  if (transitions.is_number() && transitions < 0) {
    causes.push_back(
        invalid_value("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
  }
}

// Fields of coordinated leader election, which is off by default.
void create_plain_lease(Json& object) {
  object["spec"].erase("strategy");
  object["spec"].erase("preferredHolder");
}
void update_plain_lease(const Json&, Json& candidate) { create_plain_lease(candidate); }

void validate_lease_candidate(const Json* old, const Json& object, std::vector<Cause>& causes) {
  const Json& spec = member_or_null(object, "spec");
  for (const char* member : {"leaseName", "binaryVersion", "emulationVersion", "strategy"}) {
    if (!spec.is_object() || spec.value(member, "").empty()) {
      causes.push_back(required_value(std::string("spec.") + member, ""));
    }
  }
  const Json& lease = member_or_null(spec, "leaseName");
  if (old != nullptr && member_or_null(member_or_null(*old, "spec"), "leaseName") != lease) {
    causes.push_back(invalid_value("spec.leaseName", lease, "field is immutable"));
  }
}

void validate_data_keys(const Json& data, const std::string& path, std::vector<Cause>& causes) {
  for (auto item = data.begin(); item != data.end(); ++item) {
    const std::string& key = item.key();
    if (auto problem = config_key_problem(key)) {
      causes.push_back(invalid_value(path + "[" + key + "]", key, *problem));
    }
  }
}

void validate_immutable(const Json* old, const Json& object, std::vector<Cause>& causes) {
  if (old == nullptr || !old->value("immutable", false)) return;
  if (!object.value("immutable", false)) {
    causes.push_back(forbidden_value("immutable", "field is immutable when `immutable` is set"));
  }
  for (const char* member : {"data", "binaryData"}) {
    if (member_or_null(*old, member) != member_or_null(object, member)) {
      causes.push_back(forbidden_value(member, "field is immutable when `immutable` is set"));
    }
  }
}

void validate_configmap(const Json* old, const Json& object, std::vector<Cause>& causes) {
  validate_data_keys(member_or_null(object, "data"), "data", causes);
  validate_data_keys(member_or_null(object, "binaryData"), "binaryData", causes);
  validate_immutable(old, object, causes);
}

// stringData is a write-only convenience.
void fold_string_data(Json& object) {
  auto plain = object.find("stringData");
  if (plain == object.end()) return;
  for (auto item = plain->begin(); item != plain->end(); ++item) {
    object["data"][item.key()] = base64_encode(item->get_ref<const std::string&>());
  }
  object.erase("stringData");
}

void create_secret(Json& object) {
  fold_string_data(object);
  if (!object.contains("type")) object["type"] = "Opaque";
}

void update_secret(const Json& old, Json& candidate) {
  fold_string_data(candidate);
  if (!candidate.contains("type")) candidate["type"] = old.value("type", "Opaque");
}

void validate_secret(const Json* old, const Json& object, std::vector<Cause>& causes) {
  validate_data_keys(member_or_null(object, "data"), "data", causes);
  validate_immutable(old, object, causes);
  if (old != nullptr && old->value("type", "") != object.value("type", "")) {
    causes.push_back(invalid_value("type", object.value("type", ""), "field is immutable"));
  }
}

void create_namespace(Json& object) {
  object["spec"]["finalizers"] = Json::array({"kubernetes"});
  object["status"] = {{"phase", "Active"}};
  object["metadata"]["labels"]["kubernetes.io/metadata.name"] = object["metadata"]["name"];
}

void update_namespace(const Json& old, Json& candidate) {
  candidate["spec"] = old["spec"];
  candidate["metadata"]["labels"]["kubernetes.io/metadata.name"] = candidate["metadata"]["name"];
}

}  // namespace

const Rules kEventRules{nullptr, nullptr, validate_event};
const Rules kLeaseRules{nullptr, nullptr, validate_lease};
const Rules kPlainLeaseRules{create_plain_lease, update_plain_lease, validate_lease};
const Rules kLeaseCandidateRules{nullptr, nullptr, validate_lease_candidate};
const Rules kConfigMapRules{nullptr, nullptr, validate_configmap};
const Rules kSecretRules{create_secret, update_secret, validate_secret};
const Rules kNamespaceRules{create_namespace, update_namespace, nullptr};

}  // namespace sandbox
