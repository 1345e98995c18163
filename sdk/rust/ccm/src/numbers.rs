//! Values of the ABI that are numbers: enumerations, and durations. Knows nothing else of the crate.
use std::time::Duration;

macro_rules! numbers {
    ($(#[$about:meta])* $name:ident, else $other:ident { $($(#[$of:meta])* $value:ident = $constant:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$of])* $value,)* }
        impl $name {
            /// The value of the ABI.
            pub fn number(self) -> i32 {
                match self { $($name::$value => $constant,)* }
            }
            /// The variant for a value of the ABI; any other counts as the header of the ABI says.
            pub fn from_number(number: i32) -> $name {
                match number { $($constant => $name::$value,)* _ => $name::$other }
            }
        }
    };
}
pub(crate) use numbers;

/// For the ABI.
pub(crate) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
