//! The service for objects.
use crate::json::FakeObject;
use crate::services::{state, table};
use ccm::ffi;
use ccm::sys::*;
use ccm::ValueKind;
use std::os::raw::c_void;
use std::sync::atomic::Ordering;

table!(OBJECT: ccm_host_object {
    retain: retain, release: release, find: find, find_in: find_in, kind: kind, text: text, each: each, json: json,
    equal: equal, parse: parse,
});

const NOTHING: ccm_value = ccm_value { object: std::ptr::null(), position: 0 };

unsafe extern "C" fn retain(this: *mut c_void, object: *const ccm_object) {
    if !object.is_null() {
        FakeObject::of(object).retain();
        state(this).objects.fetch_add(1, Ordering::SeqCst);
    }
}

unsafe extern "C" fn release(this: *mut c_void, object: *const ccm_object) {
    if !object.is_null() {
        FakeObject::release(object);
        state(this).objects.fetch_sub(1, Ordering::SeqCst);
    }
}

unsafe extern "C" fn find(this: *mut c_void, object: *const ccm_object, pointer: ccm_str) -> ccm_value {
    if object.is_null() {
        return NOTHING;
    }
    find_in(this, ccm_value { object, position: FakeObject::of(object).root() as u64 }, pointer)
}

unsafe extern "C" fn find_in(_: *mut c_void, from: ccm_value, pointer: ccm_str) -> ccm_value {
    if from.object.is_null() {
        return NOTHING;
    }
    let found = FakeObject::of(from.object).find(from.position as usize, &ffi::string(pointer));
    found.map_or(NOTHING, |place| ccm_value { object: from.object, position: place as u64 })
}

unsafe extern "C" fn kind(_: *mut c_void, value: ccm_value) -> i32 {
    if value.object.is_null() {
        return CCM_VALUE_ABSENT;
    }
    FakeObject::of(value.object).nodes[value.position as usize].kind.number()
}

unsafe extern "C" fn text(this: *mut c_void, value: ccm_value, out: *mut ccm_str) -> ccm_bool {
    let has = [ValueKind::String, ValueKind::Boolean, ValueKind::Number];
    if !has.contains(&ValueKind::from_number(kind(this, value))) {
        return 0;
    }
    *out = ffi::borrow(&FakeObject::of(value.object).nodes[value.position as usize].text);
    1
}

unsafe extern "C" fn each(_: *mut c_void, container: ccm_value, visit: ccm_visit_fn, owner: *mut c_void) {
    if container.object.is_null() {
        return;
    }
    for (name, place) in &FakeObject::of(container.object).nodes[container.position as usize].children {
        let value = ccm_value { object: container.object, position: *place as u64 };
        if visit.map_or(true, |visit| visit(owner, ffi::borrow(name), value) == 0) {
            return;
        }
    }
}

unsafe extern "C" fn json(_: *mut c_void, object: *const ccm_object) -> ccm_str {
    if object.is_null() {
        return ffi::none();
    }
    ffi::borrow(&FakeObject::of(object).json)
}

unsafe extern "C" fn equal(_: *mut c_void, left: ccm_value, right: ccm_value) -> ccm_bool {
    if left.object.is_null() || right.object.is_null() {
        return (left.object.is_null() && right.object.is_null()).into();
    }
    let (first, second) = (FakeObject::of(left.object), FakeObject::of(right.object));
    first.equal(left.position as usize, second, right.position as usize).into()
}

unsafe extern "C" fn parse(this: *mut c_void, json: ccm_str) -> *const ccm_object {
    match FakeObject::parse(ffi::bytes(json)) {
        Some(object) => {
            state(this).objects.fetch_add(1, Ordering::SeqCst);
            object
        }
        None => std::ptr::null(),
    }
}
