//! Texts from outside, for messages and URLs.

/// The most of a cloud's text that a message repeats, in bytes.
pub const LONGEST_ANSWER_TEXT: usize = 500;

/// The front of a text: at most `limit` bytes, and not cut within a character.
pub fn utf8_front(text: &str, mut limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    &text[..limit]
}

/// Somebody's text for a message: its front, at most `limit` bytes, with a blank for each control character. A proxy's page has
/// many lines, an Event has one.
pub fn one_line(text: &str, limit: usize) -> String {
    utf8_front(text, limit).chars().map(|letter| if letter.is_ascii_control() { ' ' } else { letter }).collect()
}

/// Text for one segment of a URL's path, or a value of its query: all but the unreserved characters of RFC 3986 as "%XX".
pub fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte as char),
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_ends_between_two_characters() {
        for (text, limit, front) in [("abc", 3, "abc"), ("abcd", 3, "abc"), ("a\u{20ac}b", 3, "a"), ("a\u{20ac}b", 4, "a\u{20ac}"), ("\u{20ac}", 0, "")] {
            assert_eq!(utf8_front(text, limit), front);
        }
    }

    #[test]
    fn a_page_becomes_one_line() {
        assert_eq!(one_line("<html>\r\n\t\u{7f}\u{20ac}\u{20ac}", 13), "<html>    \u{20ac}");
    }

    #[test]
    fn percent_encode_keeps_what_is_unreserved() {
        assert_eq!(percent_encode("a-Z.0_~/é "), "a-Z.0_~%2F%C3%A9%20");
    }
}
