#include "serving/auth/trust.hpp"

#include "base/log.hpp"
#include "kube/resource.hpp"
#include "net/certificates.hpp"
#include "net/url.hpp"

#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace ccm::serving {

namespace {

constexpr std::chrono::minutes kFailureHolds{1};

std::vector<std::string> subject_values(X509* certificate, int what) {
  std::vector<std::string> values;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, what, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, what, at)) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

}  // namespace

std::shared_ptr<const PeerCertificates> PeerCertificates::of(const SSL* session) {
  X509* leaf = SSL_get1_peer_certificate(session);
  if (leaf == nullptr) return nullptr;
  auto result = std::make_shared<PeerCertificates>();
  result->leaf_.reset(leaf);
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(session);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    X509* certificate = sk_X509_value(chain, i);
    X509_up_ref(certificate);
    result->rest_.emplace_back(certificate);
  }
  return result;
}

Status PeerCertificates::verified_by(const std::shared_ptr<const Authority>& authority) const {
  const auto now = std::chrono::system_clock::now();
  std::erase_if(known_, [now](const Known& known) {
    return known.authority.expired() || known.until <= now;
  });
  for (const Known& known : known_) {
    if (known.authority.lock() == authority) return known.status;
  }
  auto until = now + kFailureHolds;
  Status status = authority->verify(*this, &until);
  known_.push_back({authority, status, until});
  return status;
}

std::string PeerCertificates::common_name() const {
  auto names = subject_values(leaf_.get(), NID_commonName);
  return names.empty() ? std::string() : std::move(names.back());
}

std::vector<std::string> PeerCertificates::organizations() const {
  return subject_values(leaf_.get(), NID_organizationName);
}

namespace {

struct ChainDelete {
  void operator()(STACK_OF(X509) * chain) const { sk_X509_free(chain); }
};

using std::chrono::system_clock;

constexpr int kSecurityLevel = 2;  // 112 bits

system_clock::time_point first_end(const STACK_OF(X509) * chain) {
  auto first = system_clock::time_point::max();
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    const auto times = net::times_of(sk_X509_value(chain, i));
    first = std::min(first, times ? times->not_after : system_clock::time_point());
  }
  return first;
}

Status unusable(std::string_view what, const std::string& problem) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                std::string(what) + ": " + problem);
}

}  // namespace

Result<std::shared_ptr<const Authority>> Authority::parse(const std::string& pem,
                                                          std::string_view what) {
  auto result = std::make_shared<Authority>();
  result->store_.reset(X509_STORE_new());
  const int size = static_cast<int>(std::min<std::size_t>(pem.size(), INT_MAX));
  const net::Openssl<BIO> in(BIO_new_mem_buf(pem.data(), size));
  std::size_t count = 0;
  ERR_clear_error();
  while (true) {
    const net::Openssl<X509> certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    X509_STORE_add_cert(result->store_.get(), certificate.get());
    ++count;
  }
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string problem = net::take_openssl_errors();
  if (!ended) return unusable(what, "a certificate is damaged: " + problem);
  if (count == 0) return unusable(what, "there is no PEM certificate in it");
  // An authority that is itself signed by another one is trusted too, as Go does.
  X509_STORE_set_flags(result->store_.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(result->store_.get()), kSecurityLevel);
  return std::shared_ptr<const Authority>(std::move(result));
}

Status Authority::verify(const PeerCertificates& peer, system_clock::time_point* until) const {
  const std::unique_ptr<STACK_OF(X509), ChainDelete> chain(sk_X509_new_null());
  for (const auto& certificate : peer.intermediates()) sk_X509_push(chain.get(), certificate.get());
  const net::Openssl<X509_STORE_CTX> context(X509_STORE_CTX_new());
  ERR_clear_error();
  if (X509_STORE_CTX_init(context.get(), store_.get(), peer.leaf(), chain.get()) != 1) {
    return Status(Code::internal, "TLS: " + net::take_openssl_errors());
  }
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  const bool good = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (good) {
    *until = first_end(X509_STORE_CTX_get0_chain(context.get()));
    return {};
  }
  const int error = X509_STORE_CTX_get_error(context.get());
  return Status(Code::unauthenticated, ErrorClass::auth, X509_verify_cert_error_string(error));
}

namespace {

using Data = std::map<std::string, std::string>;

const std::string* find(const Data& data, const char* key) {
  const auto found = data.find(key);
  return found == data.end() || found->second.empty() ? nullptr : &found->second;
}

Result<std::shared_ptr<const Authority>> read_authority(const Data& data, const char* key) {
  const std::string* pem = find(data, key);
  if (pem == nullptr) return std::shared_ptr<const Authority>();
  return Authority::parse(*pem, key);
}

Status read_list(const Data& data, const char* key, std::vector<std::string>* list) {
  const std::string* text = find(data, key);
  if (text == nullptr) return {};
  const auto parsed = nlohmann::json::parse(*text, nullptr, false);
  const bool strings =
      parsed.is_null() || (parsed.is_array() && std::ranges::all_of(parsed, [](const auto& item) {
                             return item.is_string();
                           }));
  if (!strings) {
    return unusable(key, "it is no JSON list of strings");
  }
  for (const auto& item : parsed) list->push_back(item.template get<std::string>());
  return {};
}

bool starts_with_header(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && same_header(name.substr(0, prefix.size()), prefix);
}

std::string first_value(const Request& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string_view value = request.header(name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

void add_extra(const std::string& key, const std::string& value, User* user) {
  for (auto& [known, values] : user->extra) {
    if (known == key) return values.push_back(value);
  }
  user->extra.emplace_back(key, std::vector<std::string>{value});
}

}  // namespace

Result<Trust> trust_of_config_map(const Data& data) {
  Trust trust;
  auto authority = read_authority(data, "client-ca-file");
  if (!authority.ok()) return authority.status();
  trust.clients = std::move(*authority);
  FrontProxyTrust& proxies = trust.proxies;
  authority = read_authority(data, "requestheader-client-ca-file");
  if (!authority.ok()) return authority.status();
  proxies.authority = std::move(*authority);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"requestheader-allowed-names", &proxies.allowed_names},
      {"requestheader-username-headers", &proxies.username_headers},
      {"requestheader-group-headers", &proxies.group_headers},
      {"requestheader-extra-headers-prefix", &proxies.extra_prefixes},
      {"requestheader-uid-headers", &proxies.uid_headers}};
  for (const auto& [key, list] : lists) {
    if (Status status = read_list(data, key, list); !status.ok()) return status;
  }
  return trust;
}

Finding user_of_front_proxy(const FrontProxyTrust& trust, const Request& request) {
  if (!trust.authority || !request.peer) return {};
  if (const Status status = request.peer->verified_by(trust.authority); !status.ok()) {
    return {std::nullopt, "front proxy: " + status.message()};
  }
  const std::string proxy = request.peer->common_name();
  const auto& allowed = trust.allowed_names;
  if (!allowed.empty() && std::ranges::find(allowed, proxy) == allowed.end()) {
    return {std::nullopt, "front proxy: its common name " + proxy + " is not in the allowed list"};
  }
  User user;
  user.name = first_value(request, trust.username_headers);
  if (user.name.empty()) return {};
  user.uid = first_value(request, trust.uid_headers);
  for (const std::string& name : trust.group_headers) {
    for (const std::string_view group : request.headers_named(name)) {
      if (!group.empty()) user.groups.emplace_back(group);
    }
  }
  for (const std::string& prefix : trust.extra_prefixes) {
    for (const HeaderField& field : request.headers) {
      if (!starts_with_header(field.name, prefix)) continue;
      const std::string key = lower_case(std::string_view(field.name).substr(prefix.size()));
      add_extra(net::percent_decoded(key), field.value, &user);
    }
  }
  return {std::move(user), {}};
}

Finding user_of_certificate(const std::shared_ptr<const Authority>& clients,
                            const Request& request) {
  if (!clients || !request.peer) return {};
  if (const Status status = request.peer->verified_by(clients); !status.ok()) {
    return {std::nullopt, "client certificate: " + status.message()};
  }
  User user;
  user.name = request.peer->common_name();
  if (user.name.empty()) return {};
  user.groups = request.peer->organizations();
  return {std::move(user), {}};
}

void strip_credentials(const FrontProxyTrust& trust, Request* request) {
  request->remove_header("Authorization");
  for (const auto* names : {&trust.username_headers, &trust.group_headers, &trust.uid_headers}) {
    for (const std::string& name : *names) request->remove_header(name);
  }
  std::erase_if(request->headers, [&trust](const HeaderField& field) {
    return std::ranges::any_of(trust.extra_prefixes, [&field](const auto& prefix) {
      return starts_with_header(field.name, prefix);
    });
  });
}

constexpr std::chrono::seconds kLookEvery{1};

TrustSource::TrustSource(TrustOptions options) : options_(std::move(options)) {
  client_.path = options_.client_ca_file;
  client_.flag = "--client-ca-file";
  proxy_.path = options_.proxy_ca_file;
  proxy_.flag = "--requestheader-client-ca-file";
}

Status TrustSource::read(File* file) {
  if (file->path.empty()) return {};
  // Older than the content that is read, so that a change in between shows.
  file->stamp = kube::file_stamp(file->path);
  const Result<std::string> pem = kube::read_file(file->path);
  if (!pem.ok()) return pem.status().with_context(file->flag);
  auto authority = Authority::parse(*pem, file->flag + "=" + file->path);
  if (!authority.ok()) return authority.status();
  file->authority = std::move(*authority);
  return {};
}

Status TrustSource::load() {
  if (Status status = read(&client_); !status.ok()) return status;
  return read(&proxy_);
}

void TrustSource::refresh(File* file) {
  const auto now = std::chrono::steady_clock::now();
  if (file->path.empty() || now < file->look_at) return;
  file->look_at = now + kLookEvery;
  if (kube::file_stamp(file->path) == file->stamp) return;
  const Status status = read(file);
  if (status.ok()) {
    log::info("Re-read a certificate authority", {{"flag", file->flag}, {"file", file->path}});
  } else {
    log::warning("A changed certificate authority is invalid, the old one stays in use",
                 {{"file", file->path}, {"err", status}});
  }
}

const Trust& TrustSource::current() {
  refresh(&client_);
  refresh(&proxy_);
  current_.clients = client_.path.empty() ? cluster_.clients : client_.authority;
  current_.proxies = proxy_.path.empty() ? cluster_.proxies : options_.proxies;
  if (!proxy_.path.empty()) current_.proxies.authority = proxy_.authority;
  return current_;
}

namespace asio = boost::asio;

namespace {

constexpr const char* kNamespace = "kube-system";
constexpr const char* kName = "extension-apiserver-authentication";
constexpr std::string_view kConfigMap =
    "kube-system/extension-apiserver-authentication";  // for logs
constexpr std::string_view kSelector = "metadata.name=extension-apiserver-authentication";
constexpr std::chrono::milliseconds kLookUpTimeout{10'000};

kube::InformerSpec spec_of_config_map() {
  kube::InformerSpec spec;
  spec.resource = kube::resources::config_maps();
  spec.namespace_name = kNamespace;
  spec.field_selector = std::string(kSelector);
  return spec;
}

std::map<std::string, std::string> data_of(const kube::Object& object) {
  std::map<std::string, std::string> data;
  object.each(object.find("/data"), [&](std::string_view key, kube::Object::Position value) {
    data.emplace(key, object.text(value));
  });
  return data;
}

kube::FieldSet data_field() {
  kube::FieldSet fields;
  static_cast<void>(fields.add("/data").ok());  // it is a JSON pointer
  return fields;
}

}  // namespace

ClusterTrust::ClusterTrust(kube::Client client, std::shared_ptr<TrustSource> source)
    : client_(std::move(client)),
      source_(std::move(source)),
      informer_(client_, spec_of_config_map()) {}

ClusterTrust::~ClusterTrust() { stop(); }

void ClusterTrust::take(const kube::Object& object) {
  // The watch begins with the version that was read.
  auto data = data_of(object);
  if (taken_ == data) return;
  Result<Trust> trust = trust_of_config_map(data);
  taken_ = std::move(data);
  if (trust.ok()) {
    source_->set_cluster(std::move(*trust));
    log::info("Loaded certificate authorities from the cluster", {{"configMap", kConfigMap}});
    return;
  }
  log::warning("The cluster's authentication settings are invalid; the last known ones stay in use",
               {{"configMap", kConfigMap}, {"err", trust.status()}});
}

asio::awaitable<Status> ClusterTrust::look_up() {
  kube::ObjectRequest read{
      .resource = kube::resources::config_maps(), .namespace_name = kNamespace, .name = kName};
  read.call.timeout = kLookUpTimeout;
  read.call.max_retries = 2;
  const Result<std::string> text = co_await client_.send(std::move(read));
  if (text.status().code() == Code::not_found) {
    log::info(
        "The cluster has no authentication settings: client certificates and front "
        "proxies are not believed until there are some",
        {{"configMap", kConfigMap}});
    co_return Status();
  }
  if (!text.ok()) {
    std::string context = "cannot read the ConfigMap kube-system/" + std::string(kName) +
                          " (bind the role extension-apiserver-authentication-reader, or set "
                          "--authentication-skip-lookup or "
                          "--authentication-tolerate-lookup-failure)";
    co_return text.status().with_context(context);
  }
  const auto object = kube::Object::decode(*text);
  if (!object.ok()) co_return object.status();
  take(**object);
  co_return Status();
}

void ClusterTrust::follow() {
  kube::InformerHandler handler;
  handler.on_add = [this](const kube::ObjectPtr& object, bool) { take(*object); };
  handler.on_update = [this](const kube::ObjectPtr&, const kube::ObjectPtr& now, bool changed) {
    if (changed) take(*now);
  };
  // Without it, certificates that were valid a moment ago would be refused: the known content stays
  // in force until there is another one.
  handler.on_delete = [](const kube::ObjectPtr&, bool) {
    log::warning("The cluster's authentication settings are gone; the last known ones stay in use");
  };
  const Status subscribed = informer_.subscribe(data_field(), std::move(handler));
  if (!subscribed.ok()) log::error("Cannot watch a ConfigMap", {{"err", subscribed}});
  informer_.start();
}

}  // namespace ccm::serving
