#include "api/request_info.hpp"

namespace sandbox {
namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (!part.empty()) parts.push_back(http::percent_decode(part, false));
  }
  return parts;
}

std::string verb_of(const http::Request& request, bool named) {
  if (request.method == "GET" || request.method == "HEAD") {
    if (request.query.flag("watch")) return "watch";
    return named ? "get" : "list";
  }
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "deletecollection";
  return "";
}

}  // namespace

std::optional<RequestInfo> parse_request(const http::Request& request) {
  std::vector<std::string> parts = split_path(request.path);
  RequestInfo info;
  std::size_t at = 0;
  if (parts.size() > 2 && parts[0] == "api") {
    info.version = parts[1];
    at = 2;
  } else if (parts.size() > 3 && parts[0] == "apis") {
    info.group = parts[1];
    info.version = parts[2];
    at = 3;
  } else {
    return std::nullopt;
  }
  // /namespaces/NAME is an object; /namespaces/NAME/RESOURCE lies inside it.
  bool inside = parts[at] == "namespaces" && parts.size() > at + 2 &&
                !(info.group.empty() && (parts[at + 2] == "status" || parts[at + 2] == "finalize"));
  if (inside) {
    info.name_space = parts[at + 1];
    at += 2;
  }
  if (parts.size() > at + 3) return std::nullopt;
  info.plural = parts[at];
  if (parts.size() > at + 1) info.name = parts[at + 1];
  if (parts.size() > at + 2) info.subresource = parts[at + 2];
  info.verb = verb_of(request, !info.name.empty());
  info.resource = find_resource(info.group, info.version, info.plural);
  return info;
}

}  // namespace sandbox
