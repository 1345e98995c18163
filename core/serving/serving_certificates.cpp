#include "serving/serving_certificates.hpp"

#include "base/log.hpp"
#include "kube/client_metrics.hpp"
#include "net/certificates.hpp"
#include "serving/message.hpp"

#include <ccm/lower_case.hpp>

#include <boost/asio/ip/address.hpp>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

namespace ccm::serving {

namespace {

using net::Openssl;

constexpr long kSecondsPerYear = 365L * 24 * 3600;

Status failed() {
  return Status(Code::internal,
                "cannot make a self-signed certificate: " + net::take_openssl_errors());
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool fill(X509* certificate, EVP_PKEY* key, const std::string& names) {
  std::int64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 7) != 1) return false;
  // The time is part of the name as in Go's, so that people see which process start created it.
  const std::string common_name = "localhost@" + std::to_string(std::time(nullptr));
  X509_NAME* name = X509_get_subject_name(certificate);
  return X509_set_version(certificate, 2) == 1 &&
         ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), serial + 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kSecondsPerYear) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_alt_name, names) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;  // never logged
};

// For localhost, 127.0.0.1 and `addresses`, valid for one year from now, P-256 (HOST-53, 106).
Result<KeyPair> make_self_signed(const std::vector<std::string>& addresses) {
  std::string names = "DNS:localhost,IP:127.0.0.1";
  for (const std::string& address : addresses) {
    if (address != "127.0.0.1") names += ",IP:" + address.substr(0, address.find('%'));
  }
  const Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Openssl<X509> certificate(X509_new());
  if (!key || !certificate || !fill(certificate.get(), key.get(), names)) return failed();

  const Openssl<BIO> certificate_out(BIO_new(BIO_s_mem()));
  const Openssl<BIO> key_out(BIO_new(BIO_s_mem()));
  if (!certificate_out || !key_out ||
      PEM_write_bio_X509(certificate_out.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return failed();
  }
  return KeyPair{text_of(certificate_out.get()), text_of(key_out.get())};
}

constexpr std::size_t kMaxFileBytes = 1u << 20;
constexpr std::chrono::seconds kRetryBadFilesAfter{1};
// Limits of clients' certificates; that of the key is Go's.
constexpr int kMaxKeyBits = 8192;
constexpr int kMaxChain = 10;
constexpr long kMaxChainBytes = 16 << 10;
// Go's; OpenSSL would take finite fields of 8192 bits, a tenth of a second for each handshake.
constexpr const char* kGroups = "X25519:P-256:P-384:P-521";
// Go's default: forward secrecy only.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:"
    "ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA";

Status bad(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message));
}

Result<std::string> read_file(const std::string& path, const std::string& what) {
  Result<std::string> text = kube::read_file(path);
  if (!text.ok()) return bad("the " + what + ": " + text.status().message());
  if (text->size() > kMaxFileBytes) return bad("the " + what + " " + path + " is above 1 MiB");
  return text;
}

// Never seen half-written: a reader finds the old file or the new one.
Status write_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string temporary = path + ".tmp";
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
  bool good = descriptor >= 0 &&
              ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (good && ::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (good) return {};
  return bad("cannot write " + path + ": " + std::strerror(error));
}

// The names in a certificate, for SNI.
std::vector<std::string> names_in(X509* certificate) {
  std::vector<std::string> result;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_DNS) continue;
    const auto* data = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
    result.emplace_back(data, static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  GENERAL_NAMES_free(names);
  return result;
}

// It is served all the same, as upstream does: the client decides whether to trust it.
void warn_if_expired(const X509* certificate, const std::string& file) {
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) >= 0) return;
  log::warning("The serving certificate has expired", {{"file", file}});
}

// "*.example" stands for one label.
bool matches(const std::string& pattern, const std::string& name) {
  if (pattern == name) return true;
  const auto dot = name.find('.');
  return pattern.rfind("*.", 0) == 0 && dot != std::string::npos && dot > 0 &&
         pattern.compare(1, std::string::npos, name, dot, std::string::npos) == 0;
}

// This server speaks only HTTP/1.1; a client that names other protocols too is told so.
int on_alpn(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
            unsigned int in_length, void*) {
  static const unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kOurs, sizeof kOurs - 1, in, in_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// A client that shows a certificate proves that it has the key; its trust depends on authorities
// that may change while the connection lives, so that is checked later. Only expensive certificates
// are refused here.
int take_small_certificate(X509_STORE_CTX* store, void*) {
  const STACK_OF(X509)* chain = X509_STORE_CTX_get0_untrusted(store);
  const EVP_PKEY* key = X509_get0_pubkey(X509_STORE_CTX_get0_cert(store));
  const bool good =
      sk_X509_num(chain) <= kMaxChain && key != nullptr && EVP_PKEY_get_bits(key) <= kMaxKeyBits;
  if (!good) X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_CHAIN_TOO_LONG);
  return good ? 1 : 0;
}

}  // namespace

Status ServingCertificates::load() {
  if (Status status = find_default_pair(&default_); !status.ok()) return status;
  for (const SniCertificate& given : options_.sni_certificates) {
    Pair pair;
    pair.certificate_file = given.certificate_file;
    pair.key_file = given.key_file;
    pair.patterns = given.patterns;
    if (Status status = load_pair(&pair); !status.ok()) return status;
    sni_.push_back(std::move(pair));
  }
  report_expiry();
  report_certificate();
  return {};
}

ServingCertificates::~ServingCertificates() { kube::CredentialExpiry::of_process().set(this, {}); }

void ServingCertificates::report_expiry() const {
  std::vector<kube::CredentialExpiry::Entry> entries;
  const auto add = [&entries](const Pair& pair) {
    const auto times = net::times_of(SSL_CTX_get0_certificate(pair.context.get()));
    const bool in_memory = pair.certificate_file.empty();
    if (!times) return;
    entries.push_back({in_memory ? "self-signed in memory" : pair.certificate_file,
                       "serving-certificate", times->not_after});
  };
  add(default_);
  for (const Pair& pair : sni_) add(pair);
  kube::CredentialExpiry::of_process().set(this, std::move(entries));
}

void ServingCertificates::report_certificate() const {
  if (!options_.certificate_in_use || !default_.context) return;
  const X509* certificate = SSL_CTX_get0_certificate(default_.context.get());
  if (certificate != nullptr) options_.certificate_in_use(net::fingerprint_of(certificate));
}

Status ServingCertificates::find_default_pair(Pair* pair) {
  namespace fs = std::filesystem;
  const bool one_file = options_.certificate_file.empty() != options_.private_key_file.empty();
  if (one_file) return bad("--tls-cert-file and --tls-private-key-file have to be given together");
  pair->certificate_file = options_.certificate_file;
  pair->key_file = options_.private_key_file;
  if (!pair->certificate_file.empty()) return load_pair(pair);

  const std::string& folder = options_.certificate_directory;
  if (!folder.empty()) {
    pair->certificate_file = folder + "/cloud-controller-manager.crt";
    pair->key_file = folder + "/cloud-controller-manager.key";
    std::error_code ignored;
    const bool has_certificate = fs::exists(pair->certificate_file, ignored);
    const bool has_key = fs::exists(pair->key_file, ignored);
    if (has_certificate && has_key) return load_pair(pair);
    if (has_certificate || has_key) {
      return bad("only " + (has_key ? pair->key_file : pair->certificate_file) +
                 " exists of the pair in --cert-dir; add the other file or remove this one");
    }
  }

  std::vector<std::string> addresses;
  boost::system::error_code not_literal;
  const auto bind = boost::asio::ip::make_address(options_.bind_address, not_literal);
  if (!not_literal && !bind.is_unspecified()) addresses.push_back(bind.to_string());
  const Result<KeyPair> made = make_self_signed(addresses);
  if (!made.ok()) return made.status();
  if (!folder.empty()) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return bad("cannot make the folder --cert-dir=" + folder + ": " + error.message());
    if (Status status = write_file(pair->key_file, made->key_pem, 0600); !status.ok()) {
      return status;
    }
    if (Status status = write_file(pair->certificate_file, made->certificate_pem, 0644);
        !status.ok()) {
      return status;
    }
    log::info("Wrote a self-signed serving certificate", {{"file", pair->certificate_file}});
    return load_pair(pair);
  }
  auto context = make_context(made->certificate_pem, made->key_pem, "serving certificate");
  if (!context.ok()) return context.status();
  pair->context = std::move(*context);
  log::info("Serving with a self-signed certificate kept in memory");
  return {};
}

Status ServingCertificates::load_pair(Pair* pair) {
  // The stamps are older than the content that is read, so a change in between shows as one.
  pair->stamps = {kube::file_stamp(pair->certificate_file), kube::file_stamp(pair->key_file)};
  const auto certificate = read_file(pair->certificate_file, "certificate");
  if (!certificate.ok()) return certificate.status();
  const auto key = read_file(pair->key_file, "private key");
  if (!key.ok()) return key.status();
  const std::string what = "serving certificate " + pair->certificate_file;
  auto context = make_context(*certificate, *key, what);
  if (!context.ok()) return context.status();
  pair->context = std::move(*context);
  pair->names = pair->patterns.empty() ? names_in(SSL_CTX_get0_certificate(pair->context.get()))
                                       : pair->patterns;
  for (std::string& name : pair->names) name = lower_case(name);
  warn_if_expired(SSL_CTX_get0_certificate(pair->context.get()), pair->certificate_file);
  return {};
}

void ServingCertificates::refresh(Pair* pair) {
  if (pair->certificate_file.empty()) return;
  const std::vector<kube::FileStamp> now = {kube::file_stamp(pair->certificate_file),
                                            kube::file_stamp(pair->key_file)};
  const auto clock = std::chrono::steady_clock::now();
  if (now == pair->stamps || clock < pair->retry_at) return;
  const std::vector<kube::FileStamp> before = pair->stamps;
  const Status status = load_pair(pair);
  if (status.ok()) {
    report_expiry();
    report_certificate();
    log::info("Re-read the serving certificate", {{"file", pair->certificate_file}});
    return;
  }
  // The two files change one after the other: the next connection checks again.
  pair->stamps = before;
  pair->retry_at = clock + kRetryBadFilesAfter;
  log::warning("The changed serving certificate is invalid, the old one stays in use",
               {{"file", pair->certificate_file}, {"err", status.message()}});
}

net::TlsSession ServingCertificates::new_session() {
  refresh(&default_);
  for (Pair& pair : sni_) refresh(&pair);
  net::TlsSession session;
  session.ssl.reset(SSL_new(default_.context.get()));
  if (session.ssl) SSL_set_accept_state(session.ssl.get());
  session.guard = std::make_unique<net::HelloGuard>();
  return session;
}

int ServingCertificates::on_server_name(SSL* session, int*, void* self) {
  const char* given = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
  if (given == nullptr) return SSL_TLSEXT_ERR_NOACK;
  const std::string name = lower_case(given);
  for (const Pair& pair : static_cast<ServingCertificates*>(self)->sni_) {
    const bool known = std::ranges::any_of(
        pair.names, [&](const std::string& pattern) { return matches(pattern, name); });
    if (!known) continue;
    SSL_set_SSL_CTX(session, pair.context.get());
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

Result<net::Openssl<SSL_CTX>> ServingCertificates::make_context(const std::string& certificate_pem,
                                                                const std::string& key_pem,
                                                                const std::string& what) {
  net::Openssl<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Status(Code::internal, "TLS: " + net::take_openssl_errors());
  if (Status status = configure(context.get()); !status.ok()) return status;
  if (Status status = net::use_certificate(context.get(), certificate_pem, key_pem, what);
      !status.ok()) {
    return status;
  }
  return context;
}

Status ServingCertificates::configure(SSL_CTX* context) {
  ERR_clear_error();
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(
      context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Clients without a certificate are served too.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, take_small_certificate, nullptr);
  SSL_CTX_set_max_cert_list(context, kMaxChainBytes);
  SSL_CTX_set_read_ahead(context, 1);  // small records must not cost a system call each
  // A resumed session would come without the client's intermediate certificates.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_alpn_select_cb(context, on_alpn, nullptr);
  SSL_CTX_set_tlsext_servername_callback(context, on_server_name);
  SSL_CTX_set_tlsext_servername_arg(context, this);
  if (SSL_CTX_set_min_proto_version(context, options_.min_tls_version) != 1) {
    return bad("OpenSSL does not know the minimal TLS version");
  }
  std::string ciphers = options_.cipher_list.empty() ? kCiphers : options_.cipher_list;
  // OpenSSL 3 allows the old versions on no other level; users who configure them get them.
  if (options_.min_tls_version < TLS1_2_VERSION) ciphers += ":@SECLEVEL=0";
  if (SSL_CTX_set_cipher_list(context, ciphers.c_str()) != 1) {
    return bad("OpenSSL offers none of the cipher suites " + options_.cipher_list);
  }
  if (!options_.ciphersuites.empty() &&
      SSL_CTX_set_ciphersuites(context, options_.ciphersuites.c_str()) != 1) {
    return bad("OpenSSL offers none of the TLS 1.3 cipher suites " + options_.ciphersuites);
  }
  std::string groups;
  for (const std::string& group : options_.groups) groups += (groups.empty() ? "" : ":") + group;
  if (groups.empty()) groups = kGroups;
  if (SSL_CTX_set1_groups_list(context, groups.c_str()) != 1) {
    return bad("OpenSSL does not offer the curves " + groups);
  }
  return {};
}

}  // namespace ccm::serving
