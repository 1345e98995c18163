/*
 * Base64 with the alphabet of RFC 4648, 4, in C: for Basic authorization, and for what APIs carry as text.
 */
#ifndef CCM_C_BASE64_H
#define CCM_C_BASE64_H

#include "ccm/c/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends bytes in base64, with padding. */
static inline void ccm_append_base64(ccm_buffer *buffer, ccm_str bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t length = bytes.ptr != NULL ? bytes.len : 0;
  for (size_t at = 0; at < length; at += 3) {
    uint32_t group = 0;
    char four[4];
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (at + i < length ? (unsigned char)bytes.ptr[at + i] : 0u);
    for (size_t i = 0; i < 4; ++i) four[i] = at + i > length ? '=' : digits[group >> (18 - 6 * i) & 0x3Fu];
    const ccm_str text = {four, sizeof(four)};
    ccm_append_text(buffer, text);
  }
}

/* Appends the bytes of a text in base64, padding included; white space is skipped. 0, and nothing appended, for all else. */
static inline ccm_bool ccm_append_base64_decoded(ccm_buffer *buffer, ccm_str text) {
  const size_t begin = buffer->length;
  const size_t length = text.ptr != NULL ? text.len : 0;
  size_t digits = 0, padding = 0;
  uint32_t group = 0;
  ccm_bool good = 1;
  for (size_t i = 0; good && i < length; ++i) {
    const char c = text.ptr[i];
    uint32_t value = 0;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c >= 'A' && c <= 'Z') value = (uint32_t)(c - 'A');
    else if (c >= 'a' && c <= 'z') value = (uint32_t)(c - 'a') + 26;
    else if (c >= '0' && c <= '9') value = (uint32_t)(c - '0') + 52;
    else if (c == '+') value = 62;
    else if (c == '/') value = 63;
    else if (c == '=') ++padding;
    else good = 0;
    if (c != '=' && padding > 0) good = 0;
    group = group << 6 | value;
    if (++digits % 4 != 0) continue;
    const char three[3] = {(char)(group >> 16 & 0xFFu), (char)(group >> 8 & 0xFFu), (char)(group & 0xFFu)};
    const ccm_str bytes = {three, sizeof(three)};
    ccm_append_text(buffer, bytes);
    group = 0;
  }
  if (digits % 4 != 0 || padding > 2) good = 0;
  if (buffer->failed) return 0;
  buffer->length = good ? buffer->length - padding : begin;
  if (buffer->data != NULL) buffer->data[buffer->length] = '\0';
  return good;
}

#ifdef __cplusplus
}
#endif

#endif
