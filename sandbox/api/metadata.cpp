#include "api/metadata.hpp"

#include "api/names.hpp"

#include <random>

namespace sandbox {
namespace {

constexpr std::size_t kAnnotationsLimit = 256 * 1024;

std::mt19937_64& generator() {
  static std::mt19937_64& engine = *new std::mt19937_64(std::random_device{}());
  return engine;
}

void validate_annotations(const Json& annotations, std::vector<Cause>& causes) {
  std::size_t size = 0;
  for (auto item = annotations.begin(); item != annotations.end(); ++item) {
    // Annotation keys are compared in lower case, unlike label keys.
    std::string key = item.key();
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (auto problem = qualified_name_problem(key)) {
      causes.push_back(invalid_value("metadata.annotations", item.key(), *problem));
    }
    size += item.key().size() + item->get_ref<const std::string&>().size();
  }
  if (size > kAnnotationsLimit) {
    causes.push_back({"FieldValueTooLong", "Too long: may not be more than 262144 bytes",
                      "metadata.annotations"});
  }
}

void validate_finalizers(const Json* old, const Json& metadata, std::vector<Cause>& causes) {
  const Json& finalizers = member_or_null(metadata, "finalizers");
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& name = finalizers[i].get_ref<const std::string&>();
    std::string path = "metadata.finalizers[" + std::to_string(i) + "]";
    if (auto problem = qualified_name_problem(name)) {
      causes.push_back(invalid_value(path, name, *problem));
    } else if (name.find('/') == std::string::npos && name != "orphan" &&
               name != "foregroundDeletion" && name != "kubernetes") {
      causes.push_back(invalid_value(
          path, name, "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
  if (old == nullptr || !member_or_null((*old)["metadata"], "deletionTimestamp").is_string()) {
    return;
  }
  const Json& before = member_or_null((*old)["metadata"], "finalizers");
  Json added = Json::array();
  for (const Json& name : finalizers) {
    if (std::find(before.begin(), before.end(), name) == before.end()) added.push_back(name);
  }
  if (!added.empty()) {
    causes.push_back(forbidden_value(
        "metadata.finalizers",
        "no new finalizers can be added if the object is being deleted, found new finalizers " +
            added.dump()));
  }
}

// Only the server sets these, once.
void validate_deletion_mark(const Json* old, const Json& metadata, std::vector<Cause>& causes) {
  if (old == nullptr) return;
  for (const char* member : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Json& value = member_or_null(metadata, member);
    if (value != member_or_null((*old)["metadata"], member)) {
      causes.push_back(
          invalid_value("metadata." + std::string(member), value, "field is immutable"));
    }
  }
}

void validate_owners(const Json& owners, std::vector<Cause>& causes) {
  for (std::size_t i = 0; i < owners.size(); ++i) {
    for (const char* member : {"apiVersion", "kind", "name", "uid"}) {
      if (owners[i].value(member, "").empty()) {
        causes.push_back(
            invalid_value("metadata.ownerReferences[" + std::to_string(i) + "]." + member, "",
                          std::string(member) + " must not be empty"));
      }
    }
  }
}

std::optional<std::string> name_problem(NameRule rule, const std::string& name) {
  if (rule == NameRule::kLabel) return dns_label_problem(name);
  if (rule == NameRule::kConfigKey) return config_key_problem(name);
  return dns_subdomain_problem(name);
}

}  // namespace

void validate_labels(const Json& labels, const std::string& path, std::vector<Cause>& causes) {
  for (auto item = labels.begin(); item != labels.end(); ++item) {
    if (auto problem = qualified_name_problem(item.key())) {
      causes.push_back(invalid_value(path, item.key(), *problem));
    }
    if (auto problem = label_value_problem(item->get_ref<const std::string&>())) {
      causes.push_back(invalid_value(path, *item, *problem));
    }
  }
}

void validate_metadata(const Resource& resource, const Json* old, const Json& object,
                       std::vector<Cause>& causes) {
  const Json& metadata = object["metadata"];
  if (old == nullptr) {
    const std::string& name = metadata_text(object, "name");
    auto problem = name_problem(resource.name_rule, name);
    if (name.empty()) {
      causes.push_back(required_value("metadata.name", "name or generateName is required"));
    } else if (problem) {
      causes.push_back(invalid_value("metadata.name", name, *problem));
    }
  }
  validate_labels(member_or_null(metadata, "labels"), "metadata.labels", causes);
  validate_annotations(member_or_null(metadata, "annotations"), causes);
  validate_finalizers(old, metadata, causes);
  validate_deletion_mark(old, metadata, causes);
  validate_owners(member_or_null(metadata, "ownerReferences"), causes);
}

std::string new_uid() {
  static const char* digits = "0123456789abcdef";
  std::string uid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : uid) {
    unsigned random = static_cast<unsigned>(generator()() & 15);
    if (c == 'x') c = digits[random];
    if (c == 'y') c = digits[8 + (random & 3)];
  }
  return uid;
}

std::string name_suffix() {
  static const std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix.push_back(letters[generator()() % letters.size()]);
  return suffix;
}

}  // namespace sandbox
