#include "certificates.hpp"

#include "digitalocean/json_answer.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kKeep{30'000};
constexpr size_t kMostKept = 1000;

Result<Certificate> read_certificate(const json& from) {
  if (!from.is_object() || text_or_empty(from, "id").empty()) {
    return bad_answer("has a certificate without an id");
  }
  return Certificate{text_or_empty(from, "id"), text_or_empty(from, "name"),
                     text_or_empty(from, "type")};
}

}  // namespace

Result<Certificate> parse_certificate(std::string_view json_text) {
  return read_answer(json_text, [](const json& document) -> Result<Certificate> {
    if (!document.contains("certificate")) return bad_answer("has no certificate");
    return read_certificate(document.at("certificate"));
  });
}

Result<Certificate> parse_certificate_named(std::string_view json_text, const std::string& name) {
  return read_answer(json_text, [&name](const json& document) -> Result<Certificate> {
    if (!document.contains("certificates") || !document.at("certificates").is_array()) {
      return bad_answer("has no list \"certificates\"");
    }
    for (const json& item : document.at("certificates")) {
      if (item.is_object() && text_or_empty(item, "name") == name) return read_certificate(item);
    }
    return Status(Code::not_found, ErrorClass::invalid_spec,
                  "certificate with name: " + go_quoted(name) + " not found")
        .with_reason(kConfigError);
  });
}

std::optional<Certificate> Certificates::kept(const std::string& key) const {
  const auto place = kept_.find(key);
  if (place == kept_.end() || place->second.until < host_.timer.now()) return std::nullopt;
  return place->second.certificate;
}

void Certificates::keep(const std::string& key, const Certificate& certificate) {
  if (kept_.size() >= kMostKept) kept_.clear();
  kept_[key] = {certificate, host_.timer.now() + kKeep};
}

Task<Result<Certificate>> Certificates::by_id(Ctx ctx, std::string id) {
  const std::string key = "id/" + id;
  if (const auto known = kept(key)) co_return *known;
  Call question;
  question.path = "/v2/certificates/" + percent_encode(id);
  question.operation = "GetCertificate";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status();
  auto certificate = parse_certificate(*body);
  if (certificate.ok()) keep(key, *certificate);
  co_return certificate;
}

Task<Result<Certificate>> Certificates::by_name(Ctx ctx, std::string name) {
  const std::string key = "name/" + name;
  if (const auto known = kept(key)) co_return *known;
  Call question;
  question.path = "/v2/certificates?name=" + percent_encode(name) + "&page=1&per_page=200";
  question.operation = "FindCertificate";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) {
    co_return body.status().with_context("failed to get certificate by name: " + go_quoted(name));
  }
  auto certificate = parse_certificate_named(*body, name);
  if (certificate.ok()) keep(key, *certificate);
  co_return certificate;
}

// DO-186: whether `current`, which the load balancer uses, is the renewed `noted`.
Task<Result<bool>> Certificates::renewed(Ctx ctx, std::string noted, std::string current) {
  auto used = co_await by_id(ctx, current);
  if (!used.ok()) {
    if (used.status().error_class() == ErrorClass::not_found) co_return false;
    co_return used.status().with_context("failed to get DO certificate for load-balancer");
  }
  if (used->type != "lets_encrypt") co_return false;
  auto meant = co_await by_id(ctx, noted);
  if (!meant.ok()) {
    if (meant.status().error_class() == ErrorClass::not_found) co_return true;
    co_return meant.status().with_context("failed to get DO certificate for load-balancer");
  }
  co_return meant->name == used->name;
}

Task<Result<Certificates::Choice>> Certificates::choose(Ctx ctx, LoadBalancerTraits traits,
                                                        const ExistingLoadBalancer* existing) {
  Choice choice;
  const std::string current = existing != nullptr ? existing->certificate_id() : std::string();
  const std::string type = existing != nullptr ? existing->type : traits.type;
  if (type == kRegionalNetwork) co_return choice;  // it terminates nothing (DO-181)
  if (!traits.certificate_id.empty()) {
    choice.id = traits.certificate_id;
    if (current.empty() || current == choice.id) co_return choice;
    auto is_renewed = co_await renewed(ctx, choice.id, current);
    if (!is_renewed.ok()) co_return is_renewed.status();
    if (*is_renewed) choice.id = choice.renewed_id = current;
    co_return choice;
  }
  if (traits.certificate_name.empty()) co_return choice;
  auto named = co_await by_name(ctx, traits.certificate_name);
  if (!named.ok()) co_return named.status();
  choice.id = named->id;
  co_return choice;
}

}  // namespace ccm::digitalocean
