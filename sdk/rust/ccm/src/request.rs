//! Requests of the host, and their parts: read when this crate knows all that they ask for.
use crate::ffi;
use crate::{Error, Result};
use ccm_sys::*;

/// A copy of a request, or of a part of one, as `ffi::known` makes it. One that asks for something unknown is refused.
///
/// # Safety
/// As `ffi::known`; `from` may be NULL.
pub unsafe fn read<T: Copy>(from: *const T, known_flags: i32) -> Result<T> {
    if from.is_null() {
        return Err(Error::internal("the request lacks a part"));
    }
    let size = *(from as *const u32) as usize;
    let begin = from as *const u8;
    let beyond = || (std::mem::size_of::<T>()..size).any(|place| *begin.add(place) != 0);
    let flags = if size >= 8 { *(from as *const u32).add(1) } else { 0 };
    if size > CCM_SIZE_LIMIT as usize || flags & !(known_flags as u32) != 0 || beyond() {
        return Err(Error::unknown_request());
    }
    Ok(ffi::known(from))
}

/// Parts of a request, each read by `read`.
///
/// # Safety
/// `list` is NULL, or has `count` pointers.
pub unsafe fn parts<T, To>(
    list: *const *const T,
    count: usize,
    read: impl Fn(*const T) -> Result<To>,
) -> Result<Vec<To>> {
    ffi::slice(list, count).iter().map(|part| read(*part)).collect()
}
