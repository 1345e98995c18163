//! The tables of the fake host. `self` of each is its State.
use crate::objects::OBJECT;
use crate::state::{Answer, Context, Event, State};
use ccm::ffi::{self, Arena};
use ccm::sys::*;
use ccm::{Class, Code, Error, HttpRequest, HttpResponse, Result};
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::time::Duration;

pub(crate) unsafe fn state<'a>(this: *mut c_void) -> &'a State {
    &*(this as *const State)
}

pub(crate) unsafe extern "C" fn get_interface(this: *mut c_void, id: *const c_char, out: *mut ccm_interface) -> ccm_bool {
    let table = match CStr::from_ptr(id).to_str().unwrap_or("") {
        CCM_HOST_LOG => &LOG as *const ccm_host_log as *const c_void,
        CCM_HOST_CTX => &CTX as *const ccm_host_ctx as *const c_void,
        CCM_HOST_CONFIG => &CONFIG as *const ccm_host_config as *const c_void,
        CCM_HOST_TIMER => &TIMER as *const ccm_host_timer as *const c_void,
        CCM_HOST_POST => &POST as *const ccm_host_post as *const c_void,
        CCM_HOST_HTTP => &HTTP as *const ccm_host_http as *const c_void,
        CCM_HOST_OBJECT => &OBJECT as *const ccm_host_object as *const c_void,
        CCM_HOST_WORKER => &WORKER as *const ccm_host_worker as *const c_void,
        CCM_HOST_KUBE => &KUBE as *const ccm_host_kube as *const c_void,
        CCM_HOST_LEADER => &LEADER as *const ccm_host_leader as *const c_void,
        _ => return 0,
    };
    *out = ccm_interface { self_: this, table };
    1
}

/// A table with all of its functions.
macro_rules! table {
    ($name:ident: $type:ident { $($member:ident: $function:expr),* $(,)? }) => {
        pub(crate) static $name: $type = $type {
            size: std::mem::size_of::<$type>() as u32,
            reserved: 0,
            $($member: Some($function),)*
        };
    };
}
pub(crate) use table;

table!(LOG: ccm_host_log { enabled: log_enabled, write: log_write });

unsafe extern "C" fn log_enabled(_: *mut c_void, level: i32) -> ccm_bool {
    (level <= 10).into()
}

unsafe extern "C" fn log_write(this: *mut c_void, _: ccm_ctx, record: *const ccm_log_record) {
    let record = ffi::known(record);
    let mut line = ffi::string(record.message);
    for pair in ffi::slice(record.pairs, record.pair_count) {
        line += &format!(" {}={:?}", ffi::string(pair.key), ffi::string(pair.value));
    }
    state(this).lock().logs.push(line);
}

table!(CTX: ccm_host_ctx {
    background: background, with_timeout: with_timeout, cancel: cancel, remaining_ms: remaining_ms, ended: ended,
    end_code: end_code, on_end: on_end, remove_on_end: remove_on_end,
});

pub(crate) fn new_context(state: &State, parent: u64, timeout_ms: i64) -> u64 {
    let mut inner = state.lock();
    inner.last += 1;
    let id = inner.last;
    let ended = inner.contexts.get(&parent).map_or(CCM_CODE_OK, |parent| parent.ended);
    let deadline = if timeout_ms == i64::MAX { None } else { Some(inner.now.saturating_add(timeout_ms)) };
    inner.contexts.insert(id, Context { parent, deadline, ended, on_end: BTreeMap::new() });
    id
}

unsafe extern "C" fn background(_: *mut c_void) -> ccm_ctx {
    ccm_ctx { id: 0 }
}

unsafe extern "C" fn with_timeout(this: *mut c_void, parent: ccm_ctx, timeout_ms: i64) -> ccm_ctx {
    ccm_ctx { id: new_context(state(this), parent.id, timeout_ms) }
}

unsafe extern "C" fn cancel(this: *mut c_void, ctx: ccm_ctx) {
    state(this).end(ctx.id, CCM_CODE_CANCELLED);
}

unsafe extern "C" fn remaining_ms(this: *mut c_void, ctx: ccm_ctx) -> i64 {
    let inner = state(this).lock();
    let mut left = i64::MAX;
    let mut id = ctx.id;
    while let Some(found) = inner.contexts.get(&id) {
        if found.ended != CCM_CODE_OK {
            return 0;
        }
        left = left.min(found.deadline.map_or(i64::MAX, |deadline| deadline - inner.now));
        id = found.parent;
    }
    left
}

unsafe extern "C" fn end_code(this: *mut c_void, ctx: ccm_ctx) -> i32 {
    state(this).lock().contexts.get(&ctx.id).map_or(CCM_CODE_OK, |ctx| ctx.ended)
}

unsafe extern "C" fn ended(this: *mut c_void, ctx: ccm_ctx) -> ccm_bool {
    (end_code(this, ctx) != CCM_CODE_OK).into()
}

unsafe extern "C" fn on_end(this: *mut c_void, ctx: ccm_ctx, callback: ccm_callback) -> u64 {
    let state = state(this);
    state.keep();
    let mut inner = state.lock();
    inner.last += 1;
    let registration = inner.last;
    match inner.contexts.get_mut(&ctx.id) {
        Some(found) if found.ended == CCM_CODE_OK => {
            found.on_end.insert(registration, callback);
        }
        // The ctx that ends with the component.
        None if ctx.id == 0 => inner.listeners.push(callback_only(callback)),
        _ => inner.events.push_back(Event::Call(callback)),
    }
    registration
}

/// One that is dropped at the end, and not called before.
fn callback_only(callback: ccm_callback) -> ccm_callback {
    ccm_callback { fn_: None, ..callback }
}

unsafe extern "C" fn remove_on_end(this: *mut c_void, ctx: ccm_ctx, registration: u64) {
    let state = state(this);
    let found = state.lock().contexts.get_mut(&ctx.id).and_then(|ctx| ctx.on_end.remove(&registration));
    if let Some(callback) = found {
        state.drop_callback(callback);
    }
}

table!(CONFIG: ccm_host_config {
    flag: flag, flag_given: flag_given, cloud_config: cloud_config, secret: secret, on_change: on_change,
    rejected: rejected, accepted: accepted,
});

/// A text that lives as long as the host.
fn lend(inner: &mut crate::state::Inner, text: String) -> ccm_str {
    let lent = ffi::borrow(&text);
    inner.texts.push(text);
    lent
}

unsafe extern "C" fn flag(this: *mut c_void, name: ccm_str, out: *mut ccm_str) -> ccm_bool {
    let mut inner = state(this).lock();
    let value = match inner.flags.get(&ffi::string(name)) {
        Some(value) => value.clone(),
        None => return 0,
    };
    *out = lend(&mut inner, value);
    1
}

unsafe extern "C" fn flag_given(this: *mut c_void, name: ccm_str) -> ccm_bool {
    state(this).lock().flags.contains_key(&ffi::string(name)).into()
}

unsafe extern "C" fn cloud_config(this: *mut c_void, out: *mut ccm_str) -> ccm_bool {
    let mut inner = state(this).lock();
    let text = match &inner.config {
        Some(text) => text.clone(),
        None => return 0,
    };
    *out = lend(&mut inner, text);
    1
}

unsafe extern "C" fn secret(this: *mut c_void, name: ccm_str, buffer: *mut c_char, capacity: usize) -> i64 {
    let inner = state(this).lock();
    let value = match inner.secrets.get(&ffi::string(name)) {
        Some(value) => value.as_bytes(),
        None => return -1,
    };
    std::ptr::copy_nonoverlapping(value.as_ptr(), buffer as *mut u8, value.len().min(capacity));
    value.len() as i64
}

unsafe extern "C" fn on_change(this: *mut c_void, callback: ccm_callback) -> ccm_bool {
    let state = state(this);
    state.keep();
    state.lock().listeners.push(callback);
    1
}

unsafe extern "C" fn rejected(this: *mut c_void, _: ccm_str, reason: ccm_str) {
    state(this).lock().rejected.push(ffi::string(reason));
}

unsafe extern "C" fn accepted(this: *mut c_void, _: ccm_str) {
    state(this).lock().rejected.clear();
}

table!(TIMER: ccm_host_timer { now_ms: now_ms, wall_clock_ms: now_ms, after: after, cancel: cancel_timer });

unsafe extern "C" fn now_ms(this: *mut c_void) -> i64 {
    state(this).lock().now
}

unsafe extern "C" fn after(this: *mut c_void, delay_ms: i64, callback: ccm_callback) -> u64 {
    let state = state(this);
    state.keep();
    let mut inner = state.lock();
    inner.last += 1;
    let (due, number) = (inner.now.saturating_add(delay_ms.max(0)), inner.last);
    inner.timers.insert((due, number), callback);
    number
}

unsafe extern "C" fn cancel_timer(this: *mut c_void, number: u64) {
    let state = state(this);
    let mut inner = state.lock();
    let key = inner.timers.keys().find(|(_, other)| *other == number).copied();
    let found = key.and_then(|key| inner.timers.remove(&key));
    drop(inner);
    if let Some(callback) = found {
        state.drop_callback(callback);
    }
}

table!(POST: ccm_host_post { post: post });

unsafe extern "C" fn post(this: *mut c_void, callback: ccm_callback) {
    let state = state(this);
    state.keep();
    state.push(Event::Call(callback));
}

static HTTP: ccm_host_http =
    ccm_host_http { size: std::mem::size_of::<ccm_host_http>() as u32, reserved: 0, send: Some(send), send_wait: None };

unsafe extern "C" fn send(this: *mut c_void, ctx: ccm_ctx, request: *const ccm_http_request, done: ccm_completion) {
    let raw = ffi::known(request);
    let headers = ffi::slice(raw.headers, raw.header_count).iter();
    let method = ffi::string(raw.method);
    let request = HttpRequest {
        method: if method.is_empty() { "GET".to_string() } else { method },
        url: ffi::string(raw.url),
        headers: headers.map(|pair| (ffi::string(pair.key), ffi::string(pair.value))).collect(),
        body: ffi::bytes(raw.body).to_vec(),
        operation: ffi::string(raw.operation),
        credential: ffi::string(raw.credential),
        timeout: Duration::from_millis(raw.timeout_ms.into()),
        max_tries: raw.max_tries,
        read_only: raw.flags & CCM_HTTP_READ_ONLY as u32 != 0,
        idempotent: raw.flags & CCM_HTTP_IDEMPOTENT as u32 != 0,
        secrets: ffi::strings(raw.secrets, raw.secret_count),
        replaces: ffi::string(raw.replaces),
    };
    let state = state(this);
    let mut inner = state.lock();
    let answer = answer_to(&mut inner, &request);
    inner.requests.push(request);
    let over = ctx.id != 0 && inner.contexts.get(&ctx.id).map_or(true, |ctx| ctx.ended != CCM_CODE_OK);
    match answer {
        _ if over => {
            let error = Error::new(Code::FailedPrecondition, Class::None, "the ctx has ended");
            inner.events.push_back(Event::Complete(done, Err(error.with_reason(CCM_REASON_CONTEXT_ENDED))));
        }
        Answer::Outcome(outcome) => inner.events.push_back(Event::Complete(done, outcome)),
        Answer::Nothing => inner.hanging.push((ctx.id, done)),
    }
    drop(inner);
    state.notify();
}

fn answer_to(inner: &mut crate::state::Inner, request: &HttpRequest) -> Answer {
    let fits = |(method, url, _): &(String, String, Answer)| *method == request.method && *url == request.url;
    if let Some(place) = inner.expected.iter().position(fits) {
        return inner.expected.remove(place).2;
    }
    match &mut inner.handler {
        Some(handler) => Answer::Outcome(Ok(handler(request))),
        None => {
            inner.faults.push(format!("nothing was expected of {} {}", request.method, request.url));
            Answer::Outcome(Err(Error::unavailable("nothing was expected of this request")))
        }
    }
}

pub(crate) fn complete(done: ccm_completion, outcome: &Result<()>, result: *const c_void) {
    let status = outcome.as_ref().err().map_or_else(ccm_status::default, |error| error.to_c());
    if let Some(call) = done.fn_ {
        unsafe { call(done.owner, done.operation, &status, result) };
    }
}

pub(crate) fn complete_http(done: ccm_completion, outcome: Result<HttpResponse>) {
    let response = match outcome {
        Ok(response) => response,
        Err(error) => return complete(done, &Err(error), std::ptr::null()),
    };
    let mut arena = Arena::default();
    let (headers, header_count) = arena.pairs(response.headers.iter().map(|(name, value)| (name, value)));
    let raw = ccm_http_response {
        status_code: response.status,
        headers,
        header_count,
        body: ffi::borrow_bytes(&response.body),
        ..ccm_http_response::default()
    };
    complete(done, &Ok(()), &raw as *const ccm_http_response as *const c_void);
}

table!(WORKER: ccm_host_worker { run: run });

unsafe extern "C" fn run(this: *mut c_void, _: ccm_ctx, request: *const ccm_work_request, done: ccm_completion) {
    let state = state(this);
    let work = ffi::known(request).work;
    state.keep();
    state.push(Event::Call(work));
    state.push(Event::Done(done, Ok(())));
}

table!(LEADER: ccm_host_leader { leading: leading, transitions: transitions, on_change: on_leading_change });

unsafe extern "C" fn leading(this: *mut c_void) -> ccm_bool {
    (!state(this).lock().standby).into()
}

unsafe extern "C" fn transitions(this: *mut c_void) -> u64 {
    state(this).lock().transitions
}

unsafe extern "C" fn on_leading_change(this: *mut c_void, callback: ccm_callback) -> ccm_bool {
    let state = state(this);
    state.keep();
    state.lock().leader_listeners.push(callback);
    1
}

/// For `Host::cluster_uid` alone.
static KUBE: ccm_host_kube = ccm_host_kube {
    size: std::mem::size_of::<ccm_host_kube>() as u32,
    reserved: 0,
    cached: None,
    cached_each: None,
    get: Some(get),
    list: None,
    patch: None,
    create: None,
    remove: None,
};

unsafe extern "C" fn get(this: *mut c_void, _: ccm_ctx, _: *const ccm_kube_get_request, done: ccm_completion) {
    let uid = state(this).lock().cluster_uid.clone();
    let uid = match uid {
        Some(uid) => uid,
        None => {
            let error = Error::new(Code::PermissionDenied, Class::Auth, "namespaces is forbidden");
            return complete(done, &Err(error), std::ptr::null());
        }
    };
    let text = format!("{{\"metadata\": {{\"uid\": \"{}\"}}}}", uid);
    let object = OBJECT.parse.map_or(std::ptr::null(), |parse| parse(this, ffi::borrow(&text)));
    complete(done, &Ok(()), object as *const c_void);
    if let Some(release) = OBJECT.release {
        release(this, object);
    }
}
