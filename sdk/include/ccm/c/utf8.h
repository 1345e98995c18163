/*
 * Texts in UTF-8, which may hold any bytes where they come from outside, in C.
 */
#ifndef CCM_C_UTF8_H
#define CCM_C_UTF8_H

#include "ccm/c/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The length of the character at the front of `text`; 0 when it does not begin with one: RFC 3629, section 4. */
static inline size_t ccm_utf8_character(ccm_str text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)text.ptr;
  if (bytes == NULL || text.len == 0) return 0;
  if (bytes[0] < 0x80) return 1;
  const size_t length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
  if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || text.len < length) return 0;
  uint32_t value = bytes[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((bytes[i] & 0xC0u) != 0x80) return 0;
    value = value << 6 | (bytes[i] & 0x3Fu);
  }
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  return length;
}

/* Whether the text is UTF-8 from end to end. */
static inline ccm_bool ccm_is_utf8(ccm_str text) {
  while (text.ptr != NULL && text.len > 0) {
    const size_t length = ccm_utf8_character(text);
    if (length == 0) return 0;
    text.ptr += length;
    text.len -= length;
  }
  return 1;
}

/* Appends the text with U+FFFD in place of each byte that belongs to no character. */
static inline void ccm_append_utf8(ccm_buffer *buffer, ccm_str text) {
  while (text.ptr != NULL && text.len > 0) {
    const size_t length = ccm_utf8_character(text);
    const size_t used = length > 0 ? length : 1;
    const ccm_str front = {text.ptr, length};
    if (length > 0) ccm_append_text(buffer, front);
    else ccm_append(buffer, "\xEF\xBF\xBD");
    text.ptr += used;
    text.len -= used;
  }
}

/* The front of `text`, not longer than `limit` bytes and not cut within a character. */
static inline ccm_str ccm_utf8_front(ccm_str text, size_t limit) {
  if (text.ptr == NULL || text.len <= limit) return text;
  while (limit > 0 && ((unsigned char)text.ptr[limit] & 0xC0u) == 0x80u) --limit;
  text.len = limit;
  return text;
}

/* Appends somebody's text for a message: its front, at most `limit` bytes, with a blank for each control character. A proxy's
 * page has many lines, an Event has one. */
static inline void ccm_append_one_line(ccm_buffer *buffer, ccm_str text, size_t limit) {
  const ccm_str front = ccm_utf8_front(text, limit);
  const size_t begin = buffer->length;
  ccm_append_text(buffer, front);
  for (size_t i = begin; i < buffer->length; ++i) {
    const unsigned char byte = (unsigned char)buffer->data[i];
    if (byte < 0x20 || byte == 0x7F) buffer->data[i] = ' ';
  }
}

#ifdef __cplusplus
}
#endif

#endif
