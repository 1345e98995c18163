//! Base64 with the alphabet of RFC 4648, 4: for Basic authorization, and for what APIs carry as text.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, with padding.
pub fn base64_encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    let mut text = String::with_capacity((bytes.len() + 2) / 3 * 4);
    for part in bytes.chunks(3) {
        let group = (0..3).fold(0u32, |group, place| group << 8 | u32::from(*part.get(place).unwrap_or(&0)));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 0x3f) as usize];
            text.push(if place > part.len() { '=' } else { digit as char });
        }
    }
    text
}

/// The bytes of a text in base64, padding included; white space is skipped. Nothing for all else.
pub fn base64_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut digits, mut padding, mut group) = (0usize, 0usize, 0u32);
    for byte in text.bytes().filter(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => 0,
            _ => return None,
        };
        if byte == b'=' {
            padding += 1;
        } else if padding > 0 {
            return None;
        }
        group = group << 6 | u32::from(value);
        digits += 1;
        if digits % 4 == 0 {
            bytes.extend_from_slice(&group.to_be_bytes()[1..]);
            group = 0;
        }
    }
    if digits % 4 != 0 || padding > 2 {
        return None;
    }
    bytes.truncate(bytes.len() - padding);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\0\xff\x80 x"] {
            assert_eq!(base64_decode(&base64_encode(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!(base64_encode("ab"), "YWI=");
        assert_eq!(base64_encode([0xfb, 0xff, 0xbf]), "+/+/");
        assert_eq!(base64_decode("YW\nI =").as_deref(), Some(&b"ab"[..]));
    }

    #[test]
    fn all_else_is_refused() {
        for text in ["a", "YWI", "YWI==", "Y=WI", "YW!I", "====", "YW-I", "="] {
            assert_eq!(base64_decode(text), None, "{}", text);
        }
    }
}
