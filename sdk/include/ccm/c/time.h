/*
 * Times and durations as texts, in C: Go's durations, the time stamps of Kubernetes and the dates of HTTP. Times are
 * milliseconds since 1970, as ccm_host_timer.wall_clock_ms gives them.
 */
#ifndef CCM_C_TIME_H
#define CCM_C_TIME_H

#include "ccm/c/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The days from 1970-01-01 to a date of the Gregorian calendar. */
static inline int64_t ccm_days_of(int64_t year, int64_t month, int64_t day) {
  /* Years begin in March here, so that the day of a leap year comes last. */
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t in_era = y - era * 400;
  const int64_t in_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

/* The number at text[begin, begin + length), in digits alone; -1 for all else. */
static inline int64_t ccm_digits_at(ccm_str text, size_t begin, size_t length) {
  int64_t number = 0;
  for (size_t i = begin; i < begin + length; ++i) {
    if (text.ptr[i] < '0' || text.ptr[i] > '9') return -1;
    number = number * 10 + (text.ptr[i] - '0');
  }
  return number;
}

/* Milliseconds of date and clock; 0 when one of them is -1, or there is no such day. */
static inline ccm_bool ccm_time_of(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute,
                                   int64_t second, int64_t *ms) {
  static const int64_t days_of_months[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const ccm_bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || minute < 0 || second < 0) return 0;
  if (day > days_of_months[month - 1] + (month == 2 && leap ? 1 : 0)) return 0;
  *ms = (((ccm_days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
  return 1;
}

/* Reads the time stamp of a Kubernetes object, "2026-01-02T03:04:05Z"; 0 for every other form. */
static inline ccm_bool ccm_parse_timestamp(ccm_str text, int64_t *ms) {
  static const char form[] = "0000-00-00T00:00:00Z";
  if (text.ptr == NULL || text.len != sizeof(form) - 1) return 0;
  for (size_t i = 0; i < text.len; ++i) {
    if (form[i] != '0' && text.ptr[i] != form[i]) return 0;
  }
  return ccm_time_of(ccm_digits_at(text, 0, 4), ccm_digits_at(text, 5, 2), ccm_digits_at(text, 8, 2),
                     ccm_digits_at(text, 11, 2), ccm_digits_at(text, 14, 2), ccm_digits_at(text, 17, 2), ms);
}

/* A time in parts: year, month, day, hour, minute, second and the day of the week, Sunday 0. */
static inline void ccm_parts_of_time(int64_t ms, int parts[7]) {
  int64_t seconds = ms >= 0 ? ms / 1000 : -((-ms + 999) / 1000);
  const int64_t days = seconds >= 0 ? seconds / 86400 : -((-seconds + 86399) / 86400);
  seconds -= days * 86400;
  int64_t year = 1970 + days / 366; /* never too late from 1970 on, and corrected below */
  while (ccm_days_of(year, 1, 1) > days) --year;
  while (ccm_days_of(year + 1, 1, 1) <= days) ++year;
  int64_t month = 1;
  while (month < 12 && ccm_days_of(year, month + 1, 1) <= days) ++month;
  parts[0] = (int)year;
  parts[1] = (int)month;
  parts[2] = (int)(days - ccm_days_of(year, month, 1) + 1);
  parts[3] = (int)(seconds / 3600);
  parts[4] = (int)(seconds / 60 % 60);
  parts[5] = (int)(seconds % 60);
  parts[6] = (int)(((days + 4) % 7 + 7) % 7);
}

/* Appends a time in that form, as the API server keeps it: in UTC, without fractions. */
static inline void ccm_append_timestamp(ccm_buffer *buffer, int64_t ms) {
  int at[7];
  ccm_parts_of_time(ms, at);
  ccm_append_format(buffer, "%04d-%02d-%02dT%02d:%02d:%02dZ", at[0], at[1], at[2], at[3], at[4], at[5]);
}

/* The name of a month, 1 to 12, as HTTP writes it. */
static inline const char *ccm_month_name(int month) {
  static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return names[month - 1];
}

/* Reads a date of HTTP's headers (RFC 9110, 5.6.7), "Fri, 27 Nov 2026 09:30:00 GMT"; 0 for every other form, also for the
 * two obsolete ones. The day of the week is not compared with the date. */
static inline ccm_bool ccm_parse_http_date(ccm_str text, int64_t *ms) {
  static const char form[] = "???, 00 ??? 0000 00:00:00 GMT";
  if (text.ptr == NULL || text.len != sizeof(form) - 1) return 0;
  for (size_t i = 0; i < text.len; ++i) {
    if (form[i] != '?' && form[i] != '0' && text.ptr[i] != form[i]) return 0;
  }
  for (int month = 1; month <= 12; ++month) {
    if (memcmp(text.ptr + 8, ccm_month_name(month), 3) != 0) continue;
    return ccm_time_of(ccm_digits_at(text, 12, 4), month, ccm_digits_at(text, 5, 2), ccm_digits_at(text, 17, 2),
                       ccm_digits_at(text, 20, 2), ccm_digits_at(text, 23, 2), ms);
  }
  return 0;
}

/* Appends a time in that form. */
static inline void ccm_append_http_date(ccm_buffer *buffer, int64_t ms) {
  static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  int at[7];
  ccm_parts_of_time(ms, at);
  ccm_append_format(buffer, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[at[6]], at[2], ccm_month_name(at[1]), at[0],
                    at[3], at[4], at[5]);
}

/* Reads a duration as Go writes it, in nanoseconds: "5m0s", "1h30m", "1.5s", "300ms", "-2s", "0"; 0 for every other form, and
 * for one that does not fit. Units: ns, us, µs, ms, s, m, h. */
static inline ccm_bool ccm_parse_duration(ccm_str text, int64_t *ns) {
  static const struct {
    const char *name;
    uint64_t ns;
  } units[] = {{"ns", 1},           {"us", 1000},          {"\xC2\xB5s", 1000},     {"\xCE\xBCs", 1000},
               {"ms", 1000000},     {"s", 1000000000},     {"m", 60000000000},      {"h", 3600000000000}};
  const uint64_t limit = (uint64_t)1 << 63;
  const char *at = text.ptr;
  const char *end = text.ptr != NULL ? text.ptr + text.len : NULL;
  const ccm_bool negative = at != end && *at == '-';
  uint64_t total = 0;
  if (at != end && (*at == '-' || *at == '+')) ++at;
  if (at == end) return 0;
  if (end - at == 1 && *at == '0') return *ns = 0, 1;
  while (at != end) {
    uint64_t whole = 0, fraction = 0, unit = 0;
    double scale = 1;
    ccm_bool digits = 0, point = 0, precise = 1;
    for (; at != end && ((*at == '.' && !point) || (*at >= '0' && *at <= '9')); ++at) {
      if (*at == '.') {
        point = 1;
        continue;
      }
      const uint64_t digit = (uint64_t)(*at - '0');
      digits = 1;
      if (!point) {
        if (whole > (limit - digit) / 10) return 0;
        whole = whole * 10 + digit;
      } else if (precise && fraction <= (limit - digit) / 10) {
        fraction = fraction * 10 + digit;
        scale *= 10;
      } else {
        precise = 0; /* digits that nanoseconds cannot show */
      }
    }
    if (!digits) return 0;
    const char *begin = at;
    while (at != end && *at != '.' && (*at < '0' || *at > '9')) ++at;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
      const size_t length = strlen(units[i].name);
      if ((size_t)(at - begin) == length && memcmp(begin, units[i].name, length) == 0) unit = units[i].ns;
    }
    if (unit == 0 || whole > limit / unit) return 0;
    const uint64_t part = whole * unit + (uint64_t)((double)fraction * ((double)unit / scale));
    if (part > limit - total) return 0;
    total += part;
  }
  if (total == limit && !negative) return 0;
  *ns = negative ? (int64_t)(0 - total) : (int64_t)total;
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
