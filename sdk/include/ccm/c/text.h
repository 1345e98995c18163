/*
 * Texts that grow, for plugins in C: URLs, JSON bodies, messages.
 *
 *   ccm_buffer body = {0};
 *   ccm_append(&body, "{\"name\":");
 *   ccm_append_json(&body, service->default_name);
 *   ccm_append(&body, "}");
 *   if (body.failed) ...                    // out of memory: nothing of it counts
 *   request.body = ccm_borrow(&body);
 *   ccm_free(&body);
 */
#ifndef CCM_C_TEXT_H
#define CCM_C_TEXT_H

#include "ccm/abi/base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed at first. `data` is NULL, or ends with a NUL that `length` does not count. */
typedef struct ccm_buffer {
  char *data;
  size_t length, capacity;
  ccm_bool failed; /* memory ran out, or a format was wrong: from then on nothing is appended */
} ccm_buffer;

/* Makes room for `more` bytes and a NUL; NULL when there is none. */
static inline char *ccm_room(ccm_buffer *buffer, size_t more) {
  if (buffer->failed) return NULL;
  if (more < buffer->capacity && buffer->length < buffer->capacity - more) return buffer->data + buffer->length;
  if (more > SIZE_MAX / 4 || buffer->length > SIZE_MAX / 4) {
    buffer->failed = 1;
    return NULL;
  }
  const size_t capacity = 2 * (buffer->length + more) + 64;
  char *data = (char *)realloc(buffer->data, capacity);
  if (data == NULL) {
    buffer->failed = 1;
    return NULL;
  }
  buffer->data = data;
  buffer->capacity = capacity;
  return data + buffer->length;
}

/* Appends a borrowed text. */
static inline void ccm_append_text(ccm_buffer *buffer, ccm_str text) {
  const size_t length = text.ptr != NULL ? text.len : 0;
  char *to = ccm_room(buffer, length);
  if (to == NULL) return;
  if (length > 0) memcpy(to, text.ptr, length);
  to[length] = '\0';
  buffer->length += length;
}

/* Appends a NUL-terminated text; NULL is an empty one. */
static inline void ccm_append(ccm_buffer *buffer, const char *text) {
  ccm_str borrowed;
  borrowed.ptr = text;
  borrowed.len = text != NULL ? strlen(text) : 0;
  ccm_append_text(buffer, borrowed);
}

/* Appends what printf would print. */
__attribute__((format(printf, 2, 3))) static inline void ccm_append_format(ccm_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *to = length >= 0 ? ccm_room(buffer, (size_t)length) : NULL;
  if (to == NULL) {
    buffer->failed = 1;
    return;
  }
  va_start(arguments, format);
  vsnprintf(to, (size_t)length + 1, format, arguments);
  va_end(arguments);
  buffer->length += (size_t)length;
}

/* Appends a JSON string, quotes included. */
static inline void ccm_append_json(ccm_buffer *buffer, ccm_str text) {
  const size_t length = text.ptr != NULL ? text.len : 0;
  size_t done = 0;
  ccm_append(buffer, "\"");
  for (size_t i = 0; i < length; ++i) {
    const unsigned char byte = (unsigned char)text.ptr[i];
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    const ccm_str plain = {text.ptr + done, i - done};
    ccm_append_text(buffer, plain);
    ccm_append_format(buffer, byte >= 0x20 ? "\\%c" : "\\u%04x", byte);
    done = i + 1;
  }
  const ccm_str rest = {length > 0 ? text.ptr + done : NULL, length - done};
  ccm_append_text(buffer, rest);
  ccm_append(buffer, "\"");
}

/* Appends a part of a URL: a path segment, or a name or value of its query. All but letters, digits and "-._~" becomes
 * "%XX". */
static inline void ccm_append_percent_encoded(ccm_buffer *buffer, ccm_str text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  for (size_t i = 0; text.ptr != NULL && i < text.len; ++i) {
    const unsigned char byte = (unsigned char)text.ptr[i];
    const ccm_bool as_it_is = byte != '\0' && strchr(plain, byte) != NULL;
    ccm_append_format(buffer, as_it_is ? "%c" : "%%%02X", byte);
  }
}

/* ccm_append_percent_encoded under its first name; the new one is like those of C++ and Rust. */
static inline void ccm_append_escaped(ccm_buffer *buffer, ccm_str text) { ccm_append_percent_encoded(buffer, text); }

/* Its content. OWNERSHIP: valid until the next change. */
static inline ccm_str ccm_borrow(const ccm_buffer *buffer) {
  const ccm_str text = {buffer->data, buffer->length};
  return text;
}

/* Frees it; it is empty then, and may be used again. */
static inline void ccm_free(ccm_buffer *buffer) {
  free(buffer->data);
  memset(buffer, 0, sizeof(*buffer));
}

#ifdef __cplusplus
}
#endif

#endif
