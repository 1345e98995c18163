#pragma once

#include "api/resource.hpp"

#include <string>
#include <vector>

namespace sandbox {

// "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1". Parsing errors are thrown as ApiError 400.
class LabelSelector {
 public:
  static LabelSelector parse(std::string_view text);
  bool empty() const { return requirements_.empty(); }
  // `labels` may be null.
  bool matches(const Json& labels) const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kMissing, kGreater, kLess };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
    bool matches(const Json& labels) const;
  };
  class Parser;
  std::vector<Requirement> requirements_;
};

// "metadata.name=x,spec.unschedulable!=true" over the paths that the resource allows.
class FieldSelector {
 public:
  static FieldSelector parse(const Resource& resource, std::string_view text);
  void require(std::string path, std::string value);
  bool empty() const { return terms_.empty(); }
  bool matches(const Resource& resource, const Json& object) const;
  // The name to which the selector narrows the resource; "" if it does not.
  std::string exact_name() const;

 private:
  struct Term {
    std::string path;
    std::string value;
    bool equal = true;
  };
  std::vector<Term> terms_;
};

struct Selector {
  LabelSelector labels;
  FieldSelector fields;
  std::string name_space;  // "" = all

  bool empty() const { return labels.empty() && fields.empty(); }
  bool matches(const Resource& resource, const Object& object) const;
};

}  // namespace sandbox
