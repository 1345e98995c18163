#include "api/selector.hpp"

#include "api/names.hpp"

#include <algorithm>
#include <charconv>

namespace sandbox {

class LabelSelector::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Requirement> run() {
    std::vector<Requirement> list;
    skip_space();
    while (at_ < text_.size()) {
      list.push_back(requirement());
      skip_space();
      if (at_ == text_.size()) break;
      expect(',');
      skip_space();
      if (at_ == text_.size()) fail("found '', expected: identifier after ','");
    }
    return list;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw bad_request("unable to parse requirement: " + why);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  void expect(char wanted) {
    if (!take(std::string_view(&wanted, 1))) {
      fail("found '" + std::string(text_.substr(at_)) + "', expected: '" + wanted + "'");
    }
  }
  std::string word() {
    skip_space();
    std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view(" \t,=!<>()").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  std::vector<std::string> value_list() {
    skip_space();
    expect('(');
    std::vector<std::string> values;
    for (;;) {
      values.push_back(word());
      skip_space();
      if (take(")")) return values;
      expect(',');
    }
  }

  Requirement requirement() {
    Requirement result;
    bool negated = take("!");
    result.key = word();
    if (auto why = qualified_name_problem(result.key)) {
      fail("key: Invalid value: \"" + result.key + "\": " + *why);
    }
    skip_space();
    if (negated || at_ == text_.size() || text_[at_] == ',') {
      result.op = negated ? Operator::kMissing : Operator::kExists;
      return result;
    }
    operation(result);
    for (const std::string& value : result.values) {
      if (auto why = label_value_problem(value)) {
        fail("values: Invalid value: \"" + value + "\": " + *why);
      }
    }
    return result;
  }

  void operation(Requirement& result) {
    if (take("!=")) {
      result.op = Operator::kNotIn;
      result.values = {word()};
    } else if (take("==") || take("=")) {
      result.op = Operator::kIn;
      result.values = {word()};
    } else if (take(">") || take("<")) {
      result.op = text_[at_ - 1] == '>' ? Operator::kGreater : Operator::kLess;
      result.values = {word()};
    } else {
      std::string name = word();
      if (name != "in" && name != "notin") {
        fail("found '" + name + "', expected: in, notin, =, ==, !=, gt, lt");
      }
      result.op = name == "in" ? Operator::kIn : Operator::kNotIn;
      result.values = value_list();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

LabelSelector LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  selector.requirements_ = Parser(text).run();
  return selector;
}

bool LabelSelector::Requirement::matches(const Json& labels) const {
  const Json& value = member_or_null(labels, key.c_str());
  const std::string* text = value.get_ptr<const std::string*>();
  if (op == Operator::kExists) return text != nullptr;
  if (op == Operator::kMissing) return text == nullptr;
  if (op == Operator::kNotIn && text == nullptr) return true;
  if (text == nullptr) return false;
  if (op == Operator::kGreater || op == Operator::kLess) {
    long long left = 0, right = 0;
    auto read = [](const std::string& from, long long& to) {
      return std::from_chars(from.data(), from.data() + from.size(), to).ec == std::errc();
    };
    if (!read(*text, left) || !read(values[0], right)) return false;
    return op == Operator::kGreater ? left > right : left < right;
  }
  bool found = std::find(values.begin(), values.end(), *text) != values.end();
  return found == (op == Operator::kIn);
}

bool LabelSelector::matches(const Json& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& r) { return r.matches(labels); });
}

namespace {

bool selectable(const Resource& resource, const std::string& path) {
  if (path == "metadata.name") return true;
  if (path == "metadata.namespace") return resource.namespaced;
  return std::find(resource.selectable.begin(), resource.selectable.end(), path) !=
         resource.selectable.end();
}

std::string field_value(const Resource& resource, const Json& object, const std::string& path) {
  if (resource.kind == "Event" && path == "source") {
    const std::string& component =
        member_or_null(member_or_null(object, "source"), "component").is_string()
            ? object["source"]["component"].get_ref<const std::string&>()
            : metadata_text(object, "");
    return component.empty() ? object.value("reportingComponent", "") : component;
  }
  const Json* at = &object;
  std::string_view rest = path;
  while (!rest.empty()) {
    std::string part(rest.substr(0, rest.find('.')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    at = &member_or_null(*at, part.c_str());
  }
  if (at->is_string()) return at->get<std::string>();
  if (at->is_boolean()) return at->get<bool>() ? "true" : "false";
  return path == "spec.unschedulable" ? "false" : "";
}

}  // namespace

FieldSelector FieldSelector::parse(const Resource& resource, std::string_view text) {
  FieldSelector selector;
  while (!text.empty()) {
    std::string part(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty()) continue;
    Term term;
    std::size_t at = part.find('=');
    if (at == std::string::npos) {
      throw bad_request("invalid selector: '" + part + "'; can't understand '" + part + "'");
    }
    term.equal = at == 0 || part[at - 1] != '!';
    term.path = part.substr(0, term.equal ? at : at - 1);
    term.value = part.substr(part.compare(at, 2, "==") == 0 ? at + 2 : at + 1);
    if (!selectable(resource, term.path)) {
      throw bad_request("Unable to find \"" + resource.api_version() + ", Resource=" +
                        resource.plural + "\" that match label selector \"\", field selector \"" +
                        part + "\": field label not supported: " + term.path);
    }
    selector.terms_.push_back(std::move(term));
  }
  return selector;
}

void FieldSelector::require(std::string path, std::string value) {
  terms_.push_back(Term{std::move(path), std::move(value), true});
}

bool FieldSelector::matches(const Resource& resource, const Json& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return (field_value(resource, object, term.path) == term.value) == term.equal;
  });
}

std::string FieldSelector::exact_name() const {
  for (const Term& term : terms_) {
    if (term.equal && term.path == "metadata.name") return term.value;
  }
  return "";
}

bool Selector::matches(const Resource& resource, const Object& object) const {
  if (!name_space.empty() && object.key.compare(0, name_space.size() + 1, name_space + "/") != 0) {
    return false;
  }
  if (!fields.empty() && !fields.matches(resource, object.value)) return false;
  return labels.empty() ||
         labels.matches(member_or_null(member_or_null(object.value, "metadata"), "labels"));
}

}  // namespace sandbox
