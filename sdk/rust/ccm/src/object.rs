//! Kubernetes objects, and JSON.
use crate::numbers::numbers;
use crate::ffi;
use crate::host::call;
use crate::Host;
use ccm_sys::*;
use std::os::raw::c_void;
use std::sync::Arc;

/// An immutable object: a Node or Service with the fields that plugin.json lists under "reads" and those that controllers
/// read, or the JSON of `Host::parse`. Copies are the same one; keep none longer than the component.
#[derive(Clone)]
pub struct Object(Arc<Reference>);

struct Reference {
    host: Host,
    raw: *const ccm_object,
}

// The functions for objects are tagged [any-thread], and the objects never change.
unsafe impl Send for Reference {}
unsafe impl Sync for Reference {}

impl Drop for Reference {
    fn drop(&mut self) {
        call!(self.host, object.release(self.raw));
    }
}

numbers! {
    /// The kind of a value.
    ValueKind, else Absent {
        Absent = CCM_VALUE_ABSENT,
        Null = CCM_VALUE_NULL,
        Boolean = CCM_VALUE_BOOLEAN,
        Number = CCM_VALUE_NUMBER,
        String = CCM_VALUE_STRING,
        Array = CCM_VALUE_ARRAY,
        Object = CCM_VALUE_OBJECT,
    }
}

impl Host {
    /// A JSON object, such as the answer of a cloud, by the host's parser.
    pub fn parse(&self, json: impl AsRef<[u8]>) -> Option<Object> {
        let raw = call!(self, object.parse(ffi::borrow_bytes(json.as_ref())))?;
        Object::adopt(self, raw)
    }
}

impl Object {
    /// Takes over a reference; None for none.
    pub(crate) fn adopt(host: &Host, raw: *const ccm_object) -> Option<Object> {
        if raw.is_null() {
            return None;
        }
        Some(Object(Arc::new(Reference { host: host.clone(), raw })))
    }

    /// Retains an object of an argument.
    pub(crate) fn retain(host: &Host, raw: *const ccm_object) -> Option<Object> {
        if !raw.is_null() {
            call!(host, object.retain(raw))?;
        }
        Object::adopt(host, raw)
    }

    pub(crate) fn raw(&self) -> *const ccm_object {
        self.0.raw
    }

    /// The value at an RFC 6901 pointer ("/metadata/labels/topology.kubernetes.io~1zone"); "" is the whole.
    pub fn at(&self, pointer: &str) -> Value<'_> {
        let found = call!(self.0.host, object.find(self.0.raw, ffi::borrow(pointer)));
        Value { of: self, raw: found.unwrap_or(NOTHING) }
    }

    /// The text at a pointer: `at(pointer).text()`.
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.at(pointer).text()
    }

    /// The object with the fields that are kept.
    pub fn json(&self) -> &str {
        let text = call!(self.0.host, object.json(self.0.raw)).unwrap_or_else(ffi::none);
        std::str::from_utf8(unsafe { ffi::bytes(text) }).unwrap_or("")
    }
}

const NOTHING: ccm_value = ccm_value { object: std::ptr::null(), position: 0 };

/// A place within an object.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    of: &'a Object,
    raw: ccm_value,
}

impl<'a> Value<'a> {
    pub fn kind(&self) -> ValueKind {
        ValueKind::from_number(call!(self.of.0.host, object.kind(self.raw)).unwrap_or(CCM_VALUE_ABSENT))
    }

    /// The value at a pointer from here.
    pub fn at(&self, pointer: &str) -> Value<'a> {
        let found = call!(self.of.0.host, object.find_in(self.raw, ffi::borrow(pointer)));
        Value { of: self.of, raw: found.unwrap_or(NOTHING) }
    }

    /// A string's content, or the JSON text of a boolean or number.
    pub fn text(&self) -> Option<&'a str> {
        let mut found = ffi::none();
        if call!(self.of.0.host, object.text(self.raw, &mut found))? == 0 {
            return None;
        }
        std::str::from_utf8(unsafe { ffi::bytes(found) }).ok()
    }

    pub fn boolean(&self) -> Option<bool> {
        if self.kind() != ValueKind::Boolean {
            return None;
        }
        Some(self.text()? == "true")
    }

    pub fn integer(&self) -> Option<i64> {
        if self.kind() != ValueKind::Number {
            return None;
        }
        self.text()?.parse().ok()
    }

    /// The elements of an array; none of all else.
    pub fn elements(&self) -> Vec<Value<'a>> {
        if self.kind() != ValueKind::Array {
            return Vec::new();
        }
        self.each().into_iter().map(|(_, value)| value).collect()
    }

    /// The members of an object; none of all else.
    pub fn members(&self) -> Vec<(String, Value<'a>)> {
        if self.kind() != ValueKind::Object {
            return Vec::new();
        }
        self.each()
    }

    fn each(&self) -> Vec<(String, Value<'a>)> {
        struct Visit<'a> {
            of: &'a Object,
            found: Vec<(String, Value<'a>)>,
        }
        unsafe extern "C" fn visit(owner: *mut c_void, key: ccm_str, raw: ccm_value) -> ccm_bool {
            let visit = &mut *(owner as *mut Visit<'_>);
            visit.found.push((ffi::string(key), Value { of: visit.of, raw }));
            1
        }
        let mut all = Visit { of: self.of, found: Vec::new() };
        call!(self.of.0.host, object.each(self.raw, Some(visit), &mut all as *mut Visit<'_> as *mut c_void));
        all.found
    }
}

/// Whether both have the same content, members in the same order.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Value<'_>) -> bool {
        call!(self.of.0.host, object.equal(self.raw, other.raw)).unwrap_or(0) != 0
    }
}
