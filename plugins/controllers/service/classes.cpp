#include "classes.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace ccm::service {
namespace {

using Json = nlohmann::json;

Status wrong(std::string what) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "--load-balancer-classes: " + std::move(what));
}

Result<LoadBalancerClass> read_class(const Json& entry) {
  if (!entry.is_object()) return wrong("each of \"classes\" must be an object");
  LoadBalancerClass found;
  for (const auto& [key, value] : entry.items()) {
    if (key == "name" && value.is_string()) {
      found.name = value.get<std::string>();
    } else if (key == "default" && value.is_boolean()) {
      found.is_default = value.get<bool>();
    } else if (key == "parameters" && value.is_object()) {
      for (const auto& [name, parameter] : value.items()) {
        if (!parameter.is_string()) return wrong("parameter \"" + name + "\" must be a text");
        found.parameters.push_back({name, parameter.get<std::string>()});
      }
    } else {
      return wrong("\"" + key +
                   "\" is not known or of the wrong type; a class has \"name\" (a text), "
                   "\"parameters\" (texts) and \"default\" (true or false)");
    }
  }
  if (found.name.empty()) return wrong("a class needs a \"name\"");
  return found;
}

}  // namespace

Result<ClassTable> ClassTable::parse(std::string_view text) {
  const Result<Json> document = read_json(text);
  if (!document.ok() || !document->is_object() || document->size() != 1 ||
      !document->contains("classes") || !document->at("classes").is_array()) {
    return wrong("the file must hold {\"classes\": [...]}");
  }
  ClassTable table;
  table.classes_.clear();
  bool has_default = false;
  for (const Json& entry : document->at("classes")) {
    auto read = read_class(entry);
    if (!read.ok()) return read.status();
    for (const LoadBalancerClass& other : table.classes_) {
      if (other.name == read->name) return wrong("\"" + read->name + "\" is there twice");
    }
    if (read->is_default && std::exchange(has_default, true)) {
      return wrong("two classes are the default");
    }
    table.classes_.push_back(*std::move(read));
  }
  if (table.classes_.empty()) return wrong("\"classes\" is empty");
  return table;
}

Result<ClassTable> ClassTable::read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return wrong(path + " cannot be read");
  return parse(text);
}

const LoadBalancerClass* ClassTable::find(const std::optional<std::string>& name) const {
  const auto place =
      std::find_if(classes_.begin(), classes_.end(), [&](const LoadBalancerClass& entry) {
        return name ? !entry.name.empty() && entry.name == *name : entry.is_default;
      });
  return place != classes_.end() ? &*place : nullptr;
}

}  // namespace ccm::service
