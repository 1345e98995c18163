/*
 * HTTP clients of a plugin's own, for a cloud with a private CA, client certificates or a proxy. Each is a
 * ccm_host_http like the shared one, with the same rules (ccm/abi/http.h); connections and TLS sessions are its own,
 * call budgets are not.
 *
 * R-140 Files are read again when they change; new connections use the new content. A file that cannot be read or
 *       parsed then leaves the last good one in force, with a warning.
 * R-141 A client that does not check the server (CCM_HTTP_INSECURE) is warned about when it is opened and every hour
 *       after.
 * R-142 A client lives until close(), or until the component ends. Exchanges that it has then end with CANCELLED, later
 *       ones with FAILED_PRECONDITION.
 * R-143 A fingerprint names the one certificate that is trusted, whatever its signer, name and dates, for clouds that
 *       sign their own. Colons between its digits are allowed; CAs are not used.
 */
#ifndef CCM_ABI_HTTP_CLIENT_H
#define CCM_ABI_HTTP_CLIENT_H

#include "ccm/abi/http.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_HTTP_CLIENT "ccm.host.http_client/1"

/* Bits of ccm_http_client_options.flags. [since 1.0] */
enum {
  CCM_HTTP_INSECURE = 1, /* neither the server's certificate nor its name is checked; only when the user asked for it */
  CCM_HTTP_NO_PROXY = 2  /* none, whatever the environment says */
};

/* Options of a client. A text counts before a file for the same. Empty = the host's choice. [request] [since 1.0] */
typedef struct ccm_http_client_options {
  uint32_t size;
  uint32_t flags;
  ccm_str name;             /* for logs: "keystone" */
  ccm_str ca_pem;           /* certificates of CAs; empty = the system's */
  ccm_str ca_file;          /* absolute path, as are the others */
  ccm_str certificate_pem;  /* our own, with its chain */
  ccm_str certificate_file;
  ccm_str key_pem;          /* of our certificate */
  ccm_str key_file;
  ccm_str server_name;      /* to check and to send by SNI; empty = the URL's host */
  ccm_str fingerprint;      /* SHA-256 of the server's certificate, 64 hexadecimal digits; empty = any */
  ccm_str proxy;            /* http://, https:// or socks5:// URL; empty = as the environment says */
  uint32_t max_connections; /* to one origin; 0 = 32 */
  uint32_t reserved;        /* 0 */
  int64_t body_limit;       /* of an answer; 0 = 64 MiB, which is also the most */
  const ccm_str *secrets;   /* further texts to redact */
  size_t secret_count;
} ccm_http_client_options;

/* [result] [since 1.0] */
typedef struct ccm_http_client {
  uint32_t size;
  uint32_t flags;     /* 0 */
  ccm_interface http; /* the table is a ccm_host_http; OWNERSHIP: valid until close() or destroy */
  uint64_t number;    /* for close() */
} ccm_http_client;

/* [host table] [since 1.0] */
typedef struct ccm_host_http_client {
  uint32_t size;
  uint32_t reserved;

  /*
   * Makes a client; connects nowhere. ERRORS: INVALID_ARGUMENT with what is wrong: PEM, a key that does not fit its
   * certificate, the fingerprint, the proxy's URL; NOT_FOUND or PERMISSION_DENIED for a file. RESULT const
   * ccm_http_client *. [any-thread]
   */
  void (*open)(void *self, ccm_ctx ctx, const ccm_http_client_options *request, ccm_completion done);

  /* An unknown number is ignored. [any-thread] */
  void (*close)(void *self, uint64_t number);
} ccm_host_http_client;

#ifdef __cplusplus
}
#endif

#endif
