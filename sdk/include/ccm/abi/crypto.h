/*
 * Cryptography as the log-in to a cloud needs it (AWS SigV4, tokens of GCP and Azure), so that no plugin links a TLS
 * library. Everything here is done on the calling thread, without waiting.
 */
#ifndef CCM_ABI_CRYPTO_H
#define CCM_ABI_CRYPTO_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_CRYPTO "ccm.host.crypto/1"

/* Values of `digest`. An unknown one is refused. [since 1.0] */
enum { CCM_DIGEST_SHA256 = 1 };

/* Values of ccm_sign_request.algorithm, as JWS names them. [since 1.0] */
enum {
  CCM_SIGN_RS256 = 1, /* RSASSA-PKCS1-v1_5 with SHA-256 */
  CCM_SIGN_PS256 = 2, /* RSASSA-PSS with SHA-256 */
  CCM_SIGN_ES256 = 3  /* ECDSA with P-256 and SHA-256; the signature is r and s, 32 bytes each */
};

/* [request] [since 1.0] */
typedef struct ccm_sign_request {
  uint32_t size;
  uint32_t flags; /* 0 */
  int32_t algorithm;
  uint32_t reserved; /* 0 */
  ccm_str key;       /* the private key, PEM: PKCS #8, PKCS #1 or SEC 1; not encrypted */
  ccm_str message;
} ccm_sign_request;

/*
 * Functions copy at most `capacity` bytes to `out` and return the whole length, or the negative of a CCM_CODE_... that
 * says why there is none. [host table] [since 1.0]
 */
typedef struct ccm_host_crypto {
  uint32_t size;
  uint32_t reserved;

  /* ERRORS: UNIMPLEMENTED for an unknown digest. [any-thread] */
  int64_t (*hash)(void *self, int32_t digest, ccm_str message, uint8_t *out, size_t capacity);

  /* As hash, with a key. [any-thread] */
  int64_t (*hmac)(void *self, int32_t digest, ccm_str key, ccm_str message, uint8_t *out, size_t capacity);

  /* ERRORS: UNIMPLEMENTED, INVALID_ARGUMENT for a key that cannot be read or does not fit the algorithm.
   * [any-thread] */
  int64_t (*sign)(void *self, const ccm_sign_request *request, uint8_t *out, size_t capacity);

  /* `capacity` random bytes, fit for keys. ERRORS: UNAVAILABLE. [any-thread] */
  int64_t (*random)(void *self, uint8_t *out, size_t capacity);
} ccm_host_crypto;

#ifdef __cplusplus
}
#endif

#endif
