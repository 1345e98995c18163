#include "params.hpp"

#include <ccm/percent_encode.hpp>

#include <algorithm>

namespace ccm::aws {
namespace {

// "Filter[1].Name" as the API wants it.
std::string on_the_wire(std::string_view path, ListForm form) {
  std::string name;
  for (const char c : path) {
    if (c == '[') name += form == ListForm::member ? ".member." : ".";
    if (c != '[' && c != ']') name += c;
  }
  return name;
}

}  // namespace

Params& Params::set(ApiName name, std::string_view value) {
  entries_.push_back({std::string(name.text()), std::string(value)});
  return *this;
}

Params& Params::set(ApiName name, const char* value) { return set(name, std::string_view(value)); }
Params& Params::set(ApiName name, int64_t value) { return set(name, std::to_string(value)); }
Params& Params::set(ApiName name, bool value) { return set(name, value ? "true" : "false"); }

Params& Params::set(ApiName name, const Params& structure) {
  for (const Entry& entry : structure.entries_) {
    entries_.push_back({std::string(name.text()) + "." + entry.path, entry.value});
  }
  return *this;
}

std::string* Params::find(ApiName name) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& known) { return known.path == name.text(); });
  return entry == entries_.end() ? nullptr : &entry->value;
}

// The path of one more element of the list.
std::string Params::element(ApiName name) {
  auto list = std::find_if(lists_.begin(), lists_.end(),
                           [&](const auto& known) { return known.first == name.text(); });
  if (list == lists_.end()) list = lists_.emplace(lists_.end(), std::string(name.text()), 0);
  return list->first + "[" + std::to_string(++list->second) + "]";
}

Params& Params::add(ApiName name, std::string_view value) {
  entries_.push_back({element(name), std::string(value)});
  return *this;
}

Params& Params::add(ApiName name, const Params& structure) { return set(element(name), structure); }

Params& Params::add_all(ApiName name, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(name, value);
  return *this;
}

Params& Params::filter(ApiName name, const std::vector<std::string>& values) {
  Params filter;
  filter.set("Name", name.text()).add_all("Value", values);
  return add("Filter", filter);
}

Params& Params::filter(ApiName name, std::string_view value) {
  return filter(name, std::vector<std::string>{std::string(value)});
}

std::string form_body(std::string_view action, std::string_view version, const Params& params,
                      ListForm form) {
  std::string body = "Action=" + percent_encode(action) + "&Version=" + percent_encode(version);
  for (const Params::Entry& entry : params.entries()) {
    body += "&" + percent_encode(on_the_wire(entry.path, form)) + "=" + percent_encode(entry.value);
  }
  return body;
}

}  // namespace ccm::aws
