#include "net/tls_context.hpp"

#include "net/url.hpp"

#include <ccm/hexadecimal.hpp>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <cctype>
#include <utility>

namespace ccm::net {

namespace {

constexpr std::size_t kMaxSessions = 64;

int check_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

PeerCheck* check_of(const SSL* ssl) {
  return static_cast<PeerCheck*>(SSL_get_ex_data(ssl, check_index()));
}

// Never decides: it only notes why OpenSSL refuses, as the certificate is not available afterwards.
int note_problem(int good, X509_STORE_CTX* store) {
  if (good == 1) return 1;
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  PeerCheck* check = ssl == nullptr ? nullptr : check_of(ssl);
  if (check != nullptr && check->error == X509_V_OK) {
    check->error = X509_STORE_CTX_get_error(store);
    check->problem =
        describe_certificate_problem(check->error, X509_STORE_CTX_get_error_depth(store),
                                     X509_STORE_CTX_get_current_cert(store), check->wanted);
  }
  return good;
}

// The certificate itself is trusted: its signer, name and dates do not count.
int check_fingerprint(X509_STORE_CTX* store, void*) {
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  const X509* certificate = X509_STORE_CTX_get0_cert(store);
  PeerCheck* check = ssl == nullptr ? nullptr : check_of(ssl);
  const std::string found = certificate == nullptr ? std::string() : fingerprint_of(certificate);
  if (check != nullptr && !found.empty() && found == check->fingerprint) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
  if (check != nullptr) {
    check->error = X509_V_ERR_CERT_REJECTED;
    check->problem =
        "the certificate's SHA-256 fingerprint is " + found + "; wanted " + check->fingerprint;
  }
  return 0;
}

int on_new_session(SSL* ssl, SSL_SESSION* session) {
  PeerCheck* check = check_of(ssl);
  auto context = check == nullptr ? nullptr : check->context.lock();
  if (!context) return 0;
  context->remember(check->session_key, Openssl<SSL_SESSION>(session));
  return 1;
}

// An encrypted key must fail instead of asking for its password on the terminal.
int no_password(char*, int, int, void*) { return 0; }

Openssl<BIO> reader(const std::string& text) {
  return Openssl<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Status bad(std::string_view what, const std::string& why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::string(what) + ": " + why);
}

std::string reason_or(const char* otherwise) {
  std::string text = take_openssl_errors();
  return text.empty() ? otherwise : text;
}

// The reader says "no start line" at the orderly end of a text.
bool at_end_of_pem() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

// Without colons, in lower case.
Result<std::string> plain_fingerprint(const std::string& given) {
  constexpr std::size_t kDigits = 64;
  std::string digits;
  bool sound = true;
  for (const char c : given) {
    if (c == ':') continue;
    sound = sound && std::isxdigit(static_cast<unsigned char>(c)) != 0;
    digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (sound && digits.size() == kDigits) return digits;
  return bad("fingerprint", "\"" + given + "\" is no SHA-256 in 64 hexadecimal digits");
}

Status add_authorities(SSL_CTX* context, const std::string& pem) {
  constexpr std::string_view kWhat = "certificate authority";
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  Openssl<BIO> in = reader(pem);
  int count = 0;
  ERR_clear_error();
  while (Openssl<X509> certificate{PEM_read_bio_X509(in.get(), nullptr, no_password, nullptr)}) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      return bad(kWhat, reason_or("a certificate was refused"));
    }
    ++count;
  }
  if (!at_end_of_pem()) {
    return bad(kWhat, "certificate " + std::to_string(count + 1) +
                          " of the PEM text is malformed (" + reason_or("unreadable") + ")");
  }
  ERR_clear_error();
  if (count == 0) return bad(kWhat, "no \"BEGIN CERTIFICATE\" in the PEM text");
  return {};
}

Status configure(SSL_CTX* context, const TlsOptions& options) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, on_new_session);
  static const unsigned char kAlpn[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, kAlpn, sizeof kAlpn - 1);
  if (options.insecure_skip_verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  } else if (!options.server_fingerprint.empty()) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(context, check_fingerprint, nullptr);
  } else {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, note_problem);
    // As in Go, whatever the bundle holds is trusted, also when it is not self-signed.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
    if (!options.ca_pem.empty()) {
      if (Status status = add_authorities(context, options.ca_pem); !status.ok()) return status;
    }
  }
  if (options.certificate_pem.empty() && options.private_key_pem.empty()) return {};
  return use_certificate(context, options.certificate_pem, options.private_key_pem,
                         "client certificate");
}

}  // namespace

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return hexadecimal({reinterpret_cast<const char*>(digest.data()), size});
}

Status use_certificate(SSL_CTX* context, const std::string& certificate_pem,
                       const std::string& key_pem, std::string_view what) {
  ERR_clear_error();
  if (key_pem.empty()) return bad(what, "its private key is missing");
  if (certificate_pem.empty()) return bad(what, "there is a private key but no certificate");
  Openssl<BIO> in = reader(certificate_pem);
  Openssl<X509> leaf(PEM_read_bio_X509(in.get(), nullptr, no_password, nullptr));
  if (!leaf) {
    const bool empty = at_end_of_pem();
    const std::string reason = reason_or("unreadable");
    return bad(what, empty ? "no \"BEGIN CERTIFICATE\" in the PEM text"
                           : "the PEM text is malformed (" + reason + ")");
  }
  if (SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return bad(what, "the certificate was refused (" + reason_or("unknown reason") + ")");
  }
  SSL_CTX_clear_chain_certs(context);
  while (Openssl<X509> link{PEM_read_bio_X509(in.get(), nullptr, no_password, nullptr)}) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) {
      return bad(what, "its chain was refused (" + reason_or("unknown reason") + ")");
    }
  }
  if (!at_end_of_pem()) {
    return bad(what, "a certificate of its chain is malformed (" + reason_or("unreadable") + ")");
  }
  ERR_clear_error();

  Openssl<BIO> key_in = reader(key_pem);
  Openssl<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, no_password, nullptr));
  if (!key) {
    const bool encrypted = key_pem.find("ENCRYPTED") != std::string::npos;
    const std::string reason = reason_or("unreadable");
    return bad(what, encrypted ? "the private key is encrypted; give one without a password"
                               : "the private key's PEM text is malformed (" + reason + ")");
  }
  if (X509_check_private_key(leaf.get(), key.get()) != 1) {
    ERR_clear_error();
    return bad(what, "the private key does not belong to the certificate");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return bad(what, "the private key was refused (" + reason_or("unknown reason") + ")");
  }
  return {};
}

Result<std::shared_ptr<TlsContext>> TlsContext::make(const TlsOptions& options) {
  std::shared_ptr<TlsContext> result(new TlsContext);
  result->context_.reset(SSL_CTX_new(TLS_client_method()));
  if (!result->context_) return bad("TLS", reason_or("no context"));
  if (Status status = configure(result->context_.get(), options); !status.ok()) return status;
  result->server_name_ = options.server_name;
  if (!options.server_fingerprint.empty()) {
    Result<std::string> digits = plain_fingerprint(options.server_fingerprint);
    if (!digits.ok()) return digits.status();
    result->fingerprint_ = *std::move(digits);
  }
  result->verify_ = !options.insecure_skip_verify && result->fingerprint_.empty();
  result->needs_system_authorities_ = result->verify_ && options.ca_pem.empty();
  return result;
}

Result<TlsSession> TlsContext::connect_to(std::string_view host, const std::string& session_key) {
  if (std::exchange(needs_system_authorities_, false)) {
    SSL_CTX_set_default_verify_paths(context_.get());
  }
  TlsSession session;
  session.ssl.reset(SSL_new(context_.get()));
  if (!session.ssl) return Status(Code::internal, "TLS: " + reason_or("no session"));
  session.check = std::make_unique<PeerCheck>();
  session.check->context = weak_from_this();
  session.check->session_key = session_key;
  session.check->fingerprint = fingerprint_;
  session.check->wanted = server_name_.empty() ? std::string(host) : server_name_;
  SSL* ssl = session.ssl.get();
  SSL_set_ex_data(ssl, check_index(), session.check.get());
  SSL_set_connect_state(ssl);

  // A zone is local; no certificate names it.
  std::string name = session.check->wanted.substr(0, session.check->wanted.find('%'));
  if (!name.empty() && name.back() == '.') name.pop_back();
  // OpenSSL checks no name at all against an empty one, and any subdomain against ".example".
  if (name.empty() || name.front() == '.') {
    return bad("TLS", "\"" + session.check->wanted + "\" is not the name of a server");
  }
  const bool address = is_ip_literal(name);
  if (!address) SSL_set_tlsext_host_name(ssl, name.c_str());
  if (verify_) {
    X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(
        param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const int good = address ? X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str())
                             : X509_VERIFY_PARAM_set1_host(param, name.data(), name.size());
    if (good != 1) return bad("TLS", "\"" + name + "\" cannot be verified");
  }
  const auto known = sessions_.find(session_key);
  if (known != sessions_.end()) SSL_set_session(ssl, known->second.get());
  return session;
}

void TlsContext::remember(const std::string& session_key, Openssl<SSL_SESSION> session) {
  if (sessions_.size() >= kMaxSessions && sessions_.count(session_key) == 0) sessions_.clear();
  sessions_[session_key] = std::move(session);
}

namespace {

constexpr int kNamesShown = 8;

std::string printable(const unsigned char* data, int length) {
  std::string text(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
  for (char& c : text) {
    if (c < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string name_text(const X509_NAME* name) {
  Openssl<BIO> out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long length = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<std::size_t>(length));
}

std::string time_text(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string general_name_text(const GENERAL_NAME* name) {
  if (name->type == GEN_DNS) {
    return printable(ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName));
  }
  if (name->type != GEN_IPADD) return {};
  const unsigned char* bytes = ASN1_STRING_get0_data(name->d.iPAddress);
  const int length = ASN1_STRING_length(name->d.iPAddress);
  char text[INET6_ADDRSTRLEN] = {};
  if (length == 4) inet_ntop(AF_INET, bytes, text, sizeof text);
  if (length == 16) inet_ntop(AF_INET6, bytes, text, sizeof text);
  return text;
}

std::string alternative_names(X509* certificate) {
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  std::string result;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names);
  int shown = 0;
  for (int i = 0; i < count; ++i) {
    const std::string name = general_name_text(sk_GENERAL_NAME_value(names, i));
    if (name.empty()) continue;
    if (shown++ == kNamesShown) {
      result += ", …";
      break;
    }
    if (!result.empty()) result += ", ";
    result += name;
  }
  GENERAL_NAMES_free(names);
  if (!result.empty()) return result;
  return "no name at all (subject " + name_text(X509_get_subject_name(certificate)) + ")";
}

std::string whose(int depth, X509* certificate) {
  if (depth == 0) return "the certificate";
  return "the issuing certificate " + name_text(X509_get_subject_name(certificate));
}

}  // namespace

std::string describe_certificate_problem(int error, int depth, X509* certificate,
                                         std::string_view wanted) {
  if (certificate == nullptr) return X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the certificate is for " + alternative_names(certificate) + "; wanted " +
             std::string(wanted);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose(depth, certificate) + " expired on " +
             time_text(X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose(depth, certificate) + " is not valid before " +
             time_text(X509_get0_notBefore(certificate));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "the certificate was signed by an unknown authority (issuer " +
             name_text(X509_get_issuer_name(certificate)) + ")";
    default:
      return whose(depth, certificate) + ": " + X509_verify_cert_error_string(error);
  }
}

std::string take_openssl_errors() {
  std::string result;
  while (const unsigned long code = ERR_get_error()) {
    if (!result.empty()) result += "; ";
    const char* reason = ERR_reason_error_string(code);
    if (reason != nullptr) {
      result += reason;
    } else {
      char text[160];
      ERR_error_string_n(code, text, sizeof text);
      result += text;
    }
  }
  return result;
}

}  // namespace ccm::net
