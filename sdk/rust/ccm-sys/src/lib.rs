//! The C declarations of the plugin ABI, `ccm/abi/*.h`. The headers say what each means and have the rules (R-n); names
//! are theirs, and a member that is a word of Rust ends with a dash (`self_`, `type_`, `fn_`).
//!
//! Providers use the crate `ccm`, which is safe. This one is for what `ccm` does not offer.
#![allow(non_camel_case_types)]

/// A struct that begins with its size: `default()` is that size, and 0, NULL and empty in all other members.
macro_rules! sized {
    ($name:ident) => {
        impl Default for $name {
            fn default() -> $name {
                // Integers, pointers and optional functions: zeros are valid in all of them.
                let mut made: $name = unsafe { std::mem::zeroed() };
                made.size = std::mem::size_of::<$name>() as u32;
                made
            }
        }
    };
}

include!("abi.rs");
