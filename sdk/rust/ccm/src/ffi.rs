//! The memory that crosses the ABI: texts, arrays, structs of another version, tables of functions.
use ccm_sys::*;
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A borrowed text; valid as long as `text`.
pub fn borrow(text: &str) -> ccm_str {
    borrow_bytes(text.as_bytes())
}

pub fn borrow_bytes(bytes: &[u8]) -> ccm_str {
    ccm_str { ptr: bytes.as_ptr() as *const c_char, len: bytes.len() }
}

pub fn none() -> ccm_str {
    ccm_str { ptr: std::ptr::null(), len: 0 }
}

/// The bytes of a text, valid as long as the text is; the caller chooses a lifetime that is no longer.
///
/// # Safety
/// `text` is NULL, or has `len` bytes.
pub unsafe fn bytes<'a>(text: ccm_str) -> &'a [u8] {
    if text.ptr.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(text.ptr as *const u8, text.len)
}

/// A copy.
///
/// # Safety
/// As `bytes`.
pub unsafe fn string(text: ccm_str) -> String {
    String::from_utf8_lossy(bytes(text)).into_owned()
}

/// An array of the other side's, empty for NULL.
///
/// # Safety
/// `list` is NULL, or has `count` elements.
pub unsafe fn slice<'a, T>(list: *const T, count: usize) -> &'a [T] {
    if list.is_null() || count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(list, count)
}

/// # Safety
/// As `slice`.
pub unsafe fn strings(list: *const ccm_str, count: usize) -> Vec<String> {
    slice(list, count).iter().map(|text| string(*text)).collect()
}

/// # Safety
/// As `slice`.
pub unsafe fn map(list: *const ccm_key_value, count: usize) -> BTreeMap<String, String> {
    slice(list, count).iter().map(|pair| (string(pair.key), string(pair.value))).collect()
}

/// A copy of a struct that begins with its size: what lies beyond it is 0, NULL or empty.
///
/// # Safety
/// `from` points to a struct or table that begins with its size, and T is one for which zeros are valid.
pub unsafe fn known<T: Copy>(from: *const T) -> T {
    let size = *(from as *const u32) as usize;
    let mut to: T = std::mem::zeroed();
    std::ptr::copy_nonoverlapping(from as *const u8, &mut to as *mut T as *mut u8, size.min(std::mem::size_of::<T>()));
    to
}

/// A service of the host. Functions that it lacks are None.
#[derive(Clone, Copy)]
pub struct Table<T> {
    pub this: *mut c_void,
    pub functions: T,
}

impl<T: Copy> Table<T> {
    /// # Safety
    /// `id` is that of the interface whose table is a T.
    pub unsafe fn find(host: &ccm_host, id: &str) -> Table<T> {
        let mut found = ccm_interface { self_: std::ptr::null_mut(), table: std::ptr::null() };
        let id = CString::new(id).expect("an id has no NUL");
        let has = host.get_interface.map_or(false, |get| get(host.self_, id.as_ptr(), &mut found) != 0);
        Table::of(if has { found } else { ccm_interface { self_: std::ptr::null_mut(), table: std::ptr::null() } })
    }

    /// # Safety
    /// As `find`.
    pub unsafe fn of(interface: ccm_interface) -> Table<T> {
        let table = interface.table as *const T;
        Table { this: interface.self_, functions: if table.is_null() { std::mem::zeroed() } else { known(table) } }
    }
}

/// Memory for what the host reads: it lives until the call, or the completion, has returned.
#[derive(Default)]
pub struct Arena {
    kept: Vec<Box<dyn Any>>,
}

impl Arena {
    pub fn value<T: 'static>(&mut self, value: T) -> *const T {
        self.array(vec![value]).0
    }

    pub fn array<T: 'static>(&mut self, values: Vec<T>) -> (*const T, usize) {
        let count = values.len();
        let place = values.as_ptr();
        self.kept.push(Box::new(values));
        (if count == 0 { std::ptr::null() } else { place }, count)
    }

    /// A list of pointers, one for each of `values`.
    pub fn pointers<T: 'static>(&mut self, values: Vec<T>) -> (*const *const T, usize) {
        let (first, count) = self.array(values);
        self.array((0..count).map(|place| unsafe { first.add(place) }).collect())
    }

    /// Borrows from `texts`.
    pub fn texts(&mut self, texts: &[String]) -> (*const ccm_str, usize) {
        self.array(texts.iter().map(|text| borrow(text)).collect())
    }

    /// Borrows from `pairs`.
    pub fn pairs<'a>(&mut self, pairs: impl IntoIterator<Item = (&'a String, &'a String)>) -> (*const ccm_key_value, usize) {
        self.array(pairs.into_iter().map(|(key, value)| ccm_key_value { key: borrow(key), value: borrow(value) }).collect())
    }
}

/// Runs what may panic, since no panic may cross into the host. The failure is the panic's message.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|cause| {
        let message = match (cause.downcast_ref::<&str>(), cause.downcast_ref::<String>()) {
            (Some(text), _) => text.to_string(),
            (_, Some(text)) => text.clone(),
            _ => "without a message".to_string(),
        };
        // It may be of any type, and panic when it is dropped.
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(cause))) {
            std::mem::forget(another);
        }
        message
    })
}
