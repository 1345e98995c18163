//! Limits for JSON that somebody else wrote, checked before a parser sees it. `Host::parse` refuses what nests deeper than 128
//! levels, and takes any number of values and bytes.
use crate::{Class, Code, Error, Result};

/// `JsonLimits { values: 2_000, ..JsonLimits::default() }`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// The bytes of the whole text.
    pub bytes: usize,
    /// The bytes of one text or number, or of the space between two.
    pub text_bytes: usize,
    /// The number of values; names of members count, too.
    pub values: usize,
    /// How many arrays and objects may be in each other.
    pub depth: usize,
}

impl Default for JsonLimits {
    fn default() -> JsonLimits {
        JsonLimits { bytes: 16 << 20, text_bytes: 1 << 20, values: 500_000, depth: 64 }
    }
}

/// Whether a text stays within the limits. Looks at each byte once and takes no memory; it does not find out whether the text is
/// JSON. Of values it counts one for each bracket, comma and colon, and one: at least as many as there are. Failure:
/// `Code::ResourceExhausted`, "has more than 500000 values".
pub fn check_json(text: impl AsRef<[u8]>, limits: JsonLimits) -> Result<()> {
    let text = text.as_ref();
    let beyond = |what: String| Err(Error::new(Code::ResourceExhausted, Class::None, what));
    if text.len() > limits.bytes {
        return beyond(format!("is larger than {} bytes", limits.bytes));
    }
    let (mut values, mut depth, mut begin, mut in_text) = (0, 0, 0, false);
    let mut at = 0;
    while at <= text.len() {
        // The end of the text ends the last value, and counts it, as a comma does.
        let (place, byte) = (at, *text.get(at).unwrap_or(&b','));
        at += 1;
        if in_text && byte == b'\\' {
            at += 1;
            continue;
        }
        if in_text && byte != b'"' && place < text.len() {
            continue;
        }
        match byte {
            b'"' => in_text = !in_text,
            b'{' | b'[' => {
                depth += 1;
                values += 1;
                if depth > limits.depth {
                    return beyond(format!("nests deeper than {} levels", limits.depth));
                }
            }
            b'}' | b']' => depth -= usize::from(depth > 0),
            b',' | b':' => values += 1,
            _ => continue,
        }
        if place - begin > limits.text_bytes {
            return beyond(format!("has a text of more than {} bytes", limits.text_bytes));
        }
        begin = place + 1;
    }
    if values > limits.values {
        return beyond(format!("has more than {} values", limits.values));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_within_the_limits_is_taken() {
        let usual = JsonLimits::default();
        let five = JsonLimits { values: 5, ..usual };
        let ten = JsonLimits { text_bytes: 10, ..usual };
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        for (text, limits, fault) in [
            ("{}".to_string(), usual, ""),
            (r#"{"a": [1, "x,:[{\"", null]}"#.to_string(), usual, ""),
            (nested(64), usual, ""),
            (nested(65), usual, "nests deeper than 64 levels"),
            (format!(r#""\"{}""#, "[".repeat(100)), usual, ""),
            ("[1,2,3,4]".to_string(), five, ""),
            ("[1,2,3,4,5]".to_string(), five, "has more than 5 values"),
            (r#"{"a":1,"b":2}"#.to_string(), five, ""),
            (r#"{"a":1,"b":2,"c":3}"#.to_string(), five, "has more than 5 values"),
            (format!("[{}0]", "[],".repeat(1_000_000)), usual, "has more than 500000 values"),
            (format!("\"{}\"", ",".repeat(1_000_000)), usual, ""),
            (r#""12345678""#.to_string(), JsonLimits { bytes: 10, ..usual }, ""),
            (r#""123456789""#.to_string(), JsonLimits { bytes: 10, ..usual }, "is larger than 10 bytes"),
            (r#"["1234567890"]"#.to_string(), ten, ""),
            (r#"["12345678901"]"#.to_string(), ten, "has a text of more than 10 bytes"),
            ("[12345678901]".to_string(), ten, "has a text of more than 10 bytes"),
            (r#""\"\"\"\"\"\"\""#.to_string(), ten, "has a text of more than 10 bytes"),
        ] {
            let found = check_json(&text, limits).err();
            assert_eq!(found.as_ref().map_or("", |error| error.message.as_str()), fault, "{:.40}", text);
            assert!(found.map_or(true, |error| error.code == Code::ResourceExhausted));
        }
    }
}
