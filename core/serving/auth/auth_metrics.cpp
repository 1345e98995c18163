#include "serving/auth/auth_metrics.hpp"

#include "serving/metrics.hpp"

#include <string>

namespace ccm::serving {

namespace {

using metrics::Buckets;

// 0.001 * 2^n, 15 of them.
Buckets decision_buckets() {
  Buckets buckets;
  double bound = 0.001;
  for (int i = 0; i < 15; ++i, bound *= 2) buckets.push_back(bound);
  return buckets;
}

// An expired one, half an hour to a year.
Buckets expiration_buckets() {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  return {0,        kHour / 2, kHour,    2 * kHour, 6 * kHour, 12 * kHour, kDay,
          2 * kDay, 4 * kDay,  7 * kDay, 30 * kDay, 90 * kDay, 180 * kDay, 360 * kDay};
}

Buckets review_buckets() { return {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10}; }

// Few label values: as upstream, only some users are told apart.
std::string user_label(const std::string& name) {
  if (name == "admin" || name == "client" || name == "kube_proxy" || name == "kubelet" ||
      name == "system:serviceaccount:kube-system:default") {
    return name;
  }
  return name.find('@') != std::string::npos ? "email_id" : "other";
}

std::function<void(const kube::CallRecord&)> review_observer(prometheus::Registry& registry,
                                                             const std::string& kind,
                                                             const std::string& what) {
  auto& total = metrics::counters(registry, "apiserver_delegated_" + kind + "_request_total",
                                  "HTTP requests for " + what + " by status code.");
  auto& seconds =
      metrics::histograms(registry, "apiserver_delegated_" + kind + "_request_duration_seconds",
                          "Time of requests for " + what + " by status code.");
  return [&total, &seconds](const kube::CallRecord& call) {
    const std::string code = code_of(call.http_status);
    total.Add({{"code", code}}).Increment();
    seconds.Add({{"code", code}}, review_buckets()).Observe(metrics::seconds(call.duration));
  };
}

}  // namespace

AuthMetrics::AuthMetrics(prometheus::Registry& registry)
    : registry_(registry),
      authentication_{
          metrics::counters(registry, "authentication_attempts",
                            "Requests to this server by result of their authentication."),
          metrics::histograms(registry, "authentication_duration_seconds",
                              "Time that authentication took, by result.")},
      users_(metrics::counters(registry, "authenticated_user_requests",
                               "Authenticated requests to this server by user name.")),
      authorization_{metrics::counters(registry, "authorization_attempts_total",
                                       "Requests to this server by result of their authorization."),
                     metrics::histograms(registry, "authorization_duration_seconds",
                                         "Time that authorization took, by result.")},
      expiration_(
          metrics::histograms(registry, "apiserver_client_certificate_expiration_seconds",
                              "How long the client certificates of requests are still good; of "
                              "certificates that are believed.")
              .Add({}, expiration_buckets())) {}

void AuthMetrics::Attempts::record(const char* result, std::chrono::nanoseconds duration) {
  total.Add({{"result", result}}).Increment();
  seconds.Add({{"result", result}}, decision_buckets()).Observe(metrics::seconds(duration));
}

void AuthMetrics::authenticated(const Status& status, const User& user,
                                std::chrono::nanoseconds duration) {
  authentication_.record(status.ok() ? "success" : "error", duration);
  if (status.ok()) users_.Add({{"username", user_label(user.name)}}).Increment();
}

void AuthMetrics::believed(const PeerCertificates& certificates) {
  const auto left = end_of(certificates.leaf()) - std::chrono::system_clock::now();
  expiration_.Observe(metrics::seconds(left));
}

void AuthMetrics::authorized(const Result<Verdict>& verdict, std::chrono::nanoseconds duration) {
  const char* result = "error";
  if (verdict.ok()) {
    switch (verdict->decision) {
      case Verdict::Decision::allowed:
        result = "allowed";
        break;
      case Verdict::Decision::denied:
        result = "denied";
        break;
      case Verdict::Decision::no_opinion:
        result = "no-opinion";
        break;
    }
  }
  authorization_.record(result, duration);
}

std::function<void(const kube::CallRecord&)> AuthMetrics::token_review_observer() {
  return review_observer(registry_, "authn", "token reviews");
}

std::function<void(const kube::CallRecord&)> AuthMetrics::access_review_observer() {
  return review_observer(registry_, "authz", "access reviews");
}

namespace {

// Prometheus' own by default.
const metrics::Buckets kTokenBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

TokenCacheMetrics::Answers token_answers(prometheus::Registry& registry, const char* status) {
  return {metrics::counters(registry, "authentication_token_cache_request_total",
                            "Bearer tokens by whether their owner was remembered.")
              .Add({{"status", status}}),
          metrics::histograms(
              registry, "authentication_token_cache_request_duration_seconds",
              "Time until a bearer token's owner was known, by whether he was remembered.")
              .Add({{"status", status}}, kTokenBuckets)};
}

prometheus::Counter& token_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::counters(registry, "authentication_token_cache_fetch_total",
                           "Reviews of bearer tokens by whether they were answered.")
      .Add({{"status", status}});
}

prometheus::Gauge& active_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::gauges(registry, "authentication_token_cache_active_fetch_count",
                         "Reviews of bearer tokens under way (in_flight) and requests that wait "
                         "for them (blocked).")
      .Add({{"status", status}});
}

}  // namespace

TokenCacheMetrics::TokenCacheMetrics(prometheus::Registry& registry)
    : hits(token_answers(registry, "hit")),
      misses(token_answers(registry, "miss")),
      reviews_answered(token_fetches(registry, "ok")),
      reviews_failed(token_fetches(registry, "error")),
      reviews_in_flight(active_fetches(registry, "in_flight")),
      blocked(active_fetches(registry, "blocked")) {}

void TokenCacheMetrics::Answers::count(std::chrono::steady_clock::time_point begin) const {
  total.Increment();
  seconds.Observe(metrics::seconds(std::chrono::steady_clock::now() - begin));
}

}  // namespace ccm::serving
