#include "openstack_api/http.hpp"

#include <algorithm>

namespace ccm::openstack_api {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kPlain = "-_.~:";
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
    if (plain) {
      out += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

// Calls `use` with each piece between separators.
template <typename Use>
void split(std::string_view text, char separator, Use use) {
  for (;;) {
    const std::string_view piece = text.substr(0, text.find(separator));
    use(piece);
    if (piece.size() == text.size()) return;
    text.remove_prefix(piece.size() + 1);
  }
}

}  // namespace

std::string Request::header(const std::string& name) const {
  const auto place = headers.find(name);
  return place != headers.end() ? place->second : "";
}

Answer answer(int status, const json& body) {
  Answer made;
  made.status = status;
  if (!body.is_null()) {
    made.body = body.dump();
    made.headers["content-type"] = "application/json";
  }
  return made;
}

Query::Query(std::string_view encoded_text) {
  split(encoded_text, '&', [this](std::string_view pair) {
    if (pair.empty()) return;
    const size_t equals = std::min(pair.find('='), pair.size());
    pairs_.emplace_back(decoded(pair.substr(0, equals)),
                        equals < pair.size() ? decoded(pair.substr(equals + 1)) : "");
  });
}

std::optional<std::string> Query::value(std::string_view name) const {
  for (const auto& [known, value] : pairs_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Query::values(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [known, value] : pairs_) {
    if (known == name) found.push_back(value);
  }
  return found;
}

std::string Query::text(const std::vector<std::string_view>& without) const {
  std::string out;
  for (const auto& [name, value] : pairs_) {
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    out += (out.empty() ? "" : "&") + encoded(name) + "=" + encoded(value);
  }
  return out;
}

std::vector<std::string> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  split(path, '/', [&](std::string_view segment) { segments.push_back(decoded(segment)); });
  return segments;
}

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> items;
  split(text, ',', [&](std::string_view item) { items.emplace_back(item); });
  return items;
}

}  // namespace ccm::openstack_api
