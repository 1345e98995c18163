//! JSON to send: bodies of requests. `Host::parse` reads it.
use std::fmt;

/// `println!("{}", Json::object([("name", "web".into()), ("ports", Json::array(ports))]))`
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Boolean(bool),
    Number(i64),
    Text(String),
    Array(Vec<Json>),
    /// Members in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn array(elements: impl IntoIterator<Item = impl Into<Json>>) -> Json {
        Json::Array(elements.into_iter().map(Into::into).collect())
    }

    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr;)*) => {
        $(impl From<$type> for Json { fn from($value: $type) -> Json { $made } })*
    };
}
from! {
    bool => |value| Json::Boolean(value);
    i64 => |value| Json::Number(value);
    i32 => |value| Json::Number(value.into());
    u32 => |value| Json::Number(value.into());
    &str => |value| Json::Text(value.to_string());
    String => |value| Json::Text(value);
    &String => |value| Json::Text(value.clone());
}

fn quoted(text: &str, to: &mut fmt::Formatter<'_>) -> fmt::Result {
    to.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => to.write_str("\\\"")?,
            '\\' => to.write_str("\\\\")?,
            '\u{0}'..='\u{1f}' => write!(to, "\\u{:04x}", letter as u32)?,
            _ => write!(to, "{}", letter)?,
        }
    }
    to.write_str("\"")
}

impl fmt::Display for Json {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => to.write_str("null"),
            Json::Boolean(value) => write!(to, "{}", value),
            Json::Number(value) => write!(to, "{}", value),
            Json::Text(text) => quoted(text, to),
            Json::Array(elements) => {
                to.write_str("[")?;
                for (place, element) in elements.iter().enumerate() {
                    write!(to, "{}{}", if place > 0 { "," } else { "" }, element)?;
                }
                to.write_str("]")
            }
            Json::Object(members) => {
                to.write_str("{")?;
                for (place, (name, value)) in members.iter().enumerate() {
                    to.write_str(if place > 0 { "," } else { "" })?;
                    quoted(name, to)?;
                    write!(to, ":{}", value)?;
                }
                to.write_str("}")
            }
        }
    }
}
