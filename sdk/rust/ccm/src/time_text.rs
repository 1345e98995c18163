//! Times and durations as texts: Go's durations, the time stamps of Kubernetes and the dates of HTTP.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A duration as Go writes it: "5m0s", "1h30m", "1.5s", "300ms", "0"; units are ns, us, µs, ms, s, m, h. Nothing for every other
/// form, for one that does not fit into 63 bits of nanoseconds, and for a negative one, which a `Duration` cannot be.
pub fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 8] = [
        ("ns", 1),
        ("us", 1_000),
        ("\u{b5}s", 1_000),
        ("\u{3bc}s", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    const LIMIT: u64 = i64::MAX as u64;
    let is_number = |letter: char| letter == '.' || letter.is_ascii_digit();
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut total = 0u64;
    loop {
        let end = rest.find(|letter| !is_number(letter))?;
        let (number, after) = rest.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let end = after.find(is_number).unwrap_or(after.len());
        let unit = UNITS.iter().find(|(name, _)| *name == &after[..end])?.1;
        let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
        // Digits that nanoseconds cannot show are left out.
        let fraction = &fraction[..fraction.len().min(18)];
        let part = match fraction.parse::<u64>() {
            Ok(value) => (value as f64 * (unit as f64 / 10f64.powi(fraction.len() as i32))) as u64,
            Err(_) => 0,
        };
        total = total.checked_add(whole.checked_mul(unit)?)?.checked_add(part).filter(|total| *total <= LIMIT)?;
        rest = &after[end..];
        if rest.is_empty() {
            return Some(Duration::from_nanos(total));
        }
    }
}

/// The days from 1970-01-01 to a date of the Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the day of a leap year comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let in_era = year.rem_euclid(400);
    let in_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719_468
}

/// A time, of a date and a clock; nothing when there is no such day.
fn time_of(year: i64, month: i64, day: i64, clock: &str) -> Option<SystemTime> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > days {
        return None;
    }
    let (hour, minute, second) = (digits(clock, 0, 2)?, digits(clock, 3, 2)?, digits(clock, 6, 2)?);
    let seconds = days_of(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
}

/// The number at text[begin..begin + length], in digits alone.
fn digits(text: &str, begin: usize, length: usize) -> Option<i64> {
    let part = text.get(begin..begin + length)?;
    if part.bytes().all(|byte| byte.is_ascii_digit()) { part.parse().ok() } else { None }
}

/// Whether a text is of a form, in which "0" and "?" stand for any byte.
fn has_form(text: &str, form: &str) -> bool {
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(|(byte, of)| of == b'0' || of == b'?' || byte == of)
}

/// The time stamp of a Kubernetes object, "2026-01-02T03:04:05Z"; nothing for every other form.
pub fn parse_timestamp(text: &str) -> Option<SystemTime> {
    if !has_form(text, "0000-00-00T00:00:00Z") {
        return None;
    }
    time_of(digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?, text.get(11..)?)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A date of HTTP's headers (RFC 9110, 5.6.7), "Fri, 27 Nov 2026 09:30:00 GMT"; nothing for every other form, also for the two
/// obsolete ones. The day of the week is not compared with the date.
pub fn parse_http_date(text: &str) -> Option<SystemTime> {
    if !has_form(text, "???, 00 ??? 0000 00:00:00 GMT") {
        return None;
    }
    let month = MONTHS.iter().position(|name| text.get(8..11) == Some(name))? as i64 + 1;
    time_of(digits(text, 12, 4)?, month, digits(text, 5, 2)?, text.get(17..)?)
}

/// A time in parts: days since 1970, year, month, day, and seconds of the day.
fn parts_of(time: SystemTime) -> (i64, i64, i64, i64, i64) {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs() as i64,
        Err(before) => -(before.duration().as_secs_f64().ceil() as i64),
    };
    let days = seconds.div_euclid(86_400);
    let mut year = 1970 + days / 366; // corrected below
    while days_of(year, 1, 1) > days {
        year -= 1;
    }
    while days_of(year + 1, 1, 1) <= days {
        year += 1;
    }
    let month = (2..=12).take_while(|month| days_of(year, *month, 1) <= days).last().unwrap_or(1);
    (days, year, month, days - days_of(year, month, 1) + 1, seconds.rem_euclid(86_400))
}

/// A time as the API server keeps it: in UTC, without fractions.
pub fn timestamp(time: SystemTime) -> String {
    let (_, year, month, day, clock) = parts_of(time);
    format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, clock / 3600, clock / 60 % 60, clock % 60)
}

/// A time as HTTP's headers have it.
pub fn http_date(time: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let (days, year, month, day, clock) = parts_of(time);
    let (name, month) = (DAYS[days.rem_euclid(7) as usize], MONTHS[month as usize - 1]);
    format!("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", name, day, month, year, clock / 3600, clock / 60 % 60, clock % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BILLENNIUM: Duration = Duration::from_secs(1_000_000_000);

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("0s", 0),
            ("5m0s", 300_000_000_000),
            ("1.5s", 1_500_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("+2s", 2_000_000_000),
            ("1h1h", 7_200_000_000_000),
            ("7\u{b5}s", 7_000),
            ("0.1000000000000000000000000000001h", 360_000_000_000),
            ("9223372036854775807ns", i64::MAX as u64),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_nanos(nanoseconds)), "{}", text);
        }
        for text in [
            "", "5", "s", ".", ".s", "1d", "1 s", "-", "+", "1h-5m", "9223372036854775808ns", "9999999999h", "1s1", "5M", "1e3s",
            "-2s", "1.2.3s", "1.+5s",
        ] {
            assert_eq!(parse_duration(text), None, "{}", text);
        }
    }

    #[test]
    fn timestamps_have_one_form() {
        assert_eq!(parse_timestamp("1970-01-02T00:00:01Z"), Some(UNIX_EPOCH + Duration::from_secs(86_401)));
        assert_eq!(parse_timestamp("1969-12-31T23:59:59Z"), Some(UNIX_EPOCH - Duration::from_secs(1)));
        for text in [
            "", "2026-01-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:-1Z",
            "2026-01-01T00:00:0xZ", "2026-01-01T00:00:\u{e9}Z",
        ] {
            assert_eq!(parse_timestamp(text), None, "{}", text);
        }
        assert_eq!(timestamp(UNIX_EPOCH), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(UNIX_EPOCH - Duration::from_millis(1)), "1969-12-31T23:59:59Z");
        assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(1_700_000_000_999)), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn dates_of_http_are_read_and_written() {
        assert_eq!(parse_http_date("Sun, 09 Sep 2001 01:46:40 GMT"), Some(UNIX_EPOCH + BILLENNIUM));
        assert_eq!(http_date(UNIX_EPOCH + BILLENNIUM), "Sun, 09 Sep 2001 01:46:40 GMT");
        for day in 0..800 {
            let time = UNIX_EPOCH + BILLENNIUM + Duration::from_secs(86_400 * day);
            assert_eq!(parse_http_date(&http_date(time)), Some(time));
            assert_eq!(parse_timestamp(&timestamp(time)), Some(time));
        }
        for text in [
            "", "2001-09-09T01:46:40Z", "Sunday, 09-Sep-01 01:46:40 GMT", "Sun Sep  9 01:46:40 2001", "Sun, 09 Sep 2001 01:46:40 UTC",
            "Sun, 31 Feb 2001 01:46:40 GMT", "Sun, 09 Foo 2001 01:46:40 GMT", "Sun, -9 Sep 2001 01:46:40 GMT",
        ] {
            assert_eq!(parse_http_date(text), None, "{}", text);
        }
    }
}
