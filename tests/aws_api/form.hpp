// The body of a request in AWS's query forms, and the XML of answers: what both parts of the fake
// need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws_api {

// "Filter.1.Name" and its value.
class Form {
 public:
  static Form parse(std::string_view body);

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  // Empty when it is absent.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] int64_t number(const std::string& name) const;
  [[nodiscard]] bool flag(const std::string& name) const { return text(name) == "true"; }
  // The scalars of a list: "Names.member.1" or "Names.1".
  [[nodiscard]] std::vector<std::string> list(const std::string& name) const;
  // The structures of a list, each as a form of its own.
  [[nodiscard]] std::vector<Form> structures(const std::string& name) const;
  // What stands below that name.
  [[nodiscard]] Form below(const std::string& prefix) const;
  [[nodiscard]] bool empty() const { return values_.empty(); }
  // Filter.N.Value of that name.
  [[nodiscard]] std::vector<std::string> filter(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

std::string escaped(std::string_view text);
std::string element(std::string_view name, std::string_view text);
std::string element(std::string_view name, int64_t number);
// <name> with XML inside.
std::string tree(std::string_view name, const std::string& inner);

struct Reply {
  int status = 200;
  std::string body;
};
struct Error {
  int status = 400;
  std::string code;
  std::string message;
};

}  // namespace ccm::aws_api
