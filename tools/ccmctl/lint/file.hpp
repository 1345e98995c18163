// Services in a file of Kubernetes objects: YAML or JSON, many documents, Lists too.
#pragma once

#include "service.hpp"

#include <string>
#include <vector>

namespace ccm::ctl {

struct PlacedService {
  ManifestService service;
  size_t line = 0;  // where the object begins, from 1
};

struct LintFile {
  std::vector<PlacedService> services;
  std::string fault;  // why the rest could not be read, with its line; empty = all was
};

// Takes any text. Skips values that are not objects, and objects of other kinds.
LintFile read_services(const std::string& text);

}  // namespace ccm::ctl
