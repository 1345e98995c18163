//! The state of the fake host: its loop, clock, contexts, and all that a test set or may look at.
use ccm::sys::*;
use ccm::{Error, HttpRequest, HttpResponse, Result};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// The answer to a request.
pub(crate) enum Answer {
    Outcome(Result<HttpResponse>),
    /// Nothing, until its ctx ends.
    Nothing,
}

type Handler = Box<dyn FnMut(&HttpRequest) -> HttpResponse + Send>;

pub(crate) struct Context {
    pub parent: u64,
    pub deadline: Option<i64>,
    /// CCM_CODE_OK while it has not ended.
    pub ended: i32,
    pub on_end: BTreeMap<u64, ccm_callback>,
}

/// Work of the loop.
pub(crate) enum Event {
    Call(ccm_callback),
    Complete(ccm_completion, Result<HttpResponse>),
    Done(ccm_completion, Result<()>),
}

#[derive(Default)]
pub(crate) struct Inner {
    pub last: u64,
    pub now: i64,
    pub events: VecDeque<Event>,
    pub timers: BTreeMap<(i64, u64), ccm_callback>,
    pub contexts: BTreeMap<u64, Context>,
    pub hanging: Vec<(u64, ccm_completion)>,
    pub listeners: Vec<ccm_callback>,
    pub leader_listeners: Vec<ccm_callback>,
    /// This host does not lead.
    pub standby: bool,
    pub transitions: u64,
    /// The UID of the namespace kube-system; `None` = the manager may not read it.
    pub cluster_uid: Option<String>,
    pub flags: BTreeMap<String, String>,
    pub config: Option<String>,
    pub secrets: BTreeMap<String, String>,
    pub expected: Vec<(String, String, Answer)>,
    pub handler: Option<Handler>,
    pub requests: Vec<HttpRequest>,
    pub logs: Vec<String>,
    pub rejected: Vec<String>,
    pub faults: Vec<String>,
    /// Texts that were given out: they live as long as the host.
    pub texts: Vec<String>,
}

// Callbacks and completions are called on any thread that the host likes.
unsafe impl Send for Inner {}

#[derive(Default)]
pub(crate) struct State {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Callbacks that were not dropped, references that were not given back.
    pub callbacks: AtomicI64,
    pub objects: AtomicI64,
}

impl State {
    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn push(&self, event: Event) {
        self.lock().events.push_back(event);
        self.changed.notify_all();
    }

    /// Has somebody look who waits in `step`.
    pub fn notify(&self) {
        // Under the lock, so that nobody is between looking and waiting.
        let _inner = self.lock();
        self.changed.notify_all();
    }

    pub fn keep(&self) {
        self.callbacks.fetch_add(1, Ordering::SeqCst);
    }

    pub fn drop_callback(&self, callback: ccm_callback) {
        if let Some(release) = callback.drop {
            unsafe { release(callback.owner) };
        }
        self.callbacks.fetch_sub(1, Ordering::SeqCst);
    }

    fn run(&self, callback: ccm_callback) {
        if let Some(call) = callback.fn_ {
            unsafe { call(callback.owner) };
        }
        self.drop_callback(callback);
    }

    /// Does the next thing; moves the clock when nothing else is left. False when nothing is. With a `timeout` a thread of the
    /// plugin's gets that long to do something before the clock moves.
    pub fn step(&self, timeout: Duration) -> bool {
        let mut inner = self.lock();
        if inner.events.is_empty() && timeout > Duration::ZERO {
            let (after, waited) = self.changed.wait_timeout(inner, timeout).unwrap_or_else(|poisoned| poisoned.into_inner());
            inner = after;
            if inner.events.is_empty() && !waited.timed_out() {
                return true;
            }
        }
        if let Some(event) = inner.events.pop_front() {
            drop(inner);
            self.handle(event);
            return true;
        }
        let timer = inner.timers.keys().next().map(|(due, _)| *due);
        let deadline = inner.contexts.values().filter(|ctx| ctx.ended == CCM_CODE_OK).filter_map(|ctx| ctx.deadline).min();
        match (timer, deadline) {
            (None, None) => return false,
            (Some(due), None) => inner.now = inner.now.max(due),
            (None, Some(due)) => inner.now = inner.now.max(due),
            (Some(first), Some(second)) => inner.now = inner.now.max(first.min(second)),
        }
        drop(inner);
        self.due();
        true
    }

    /// Timers and deadlines that the clock has reached.
    pub fn due(&self) {
        let mut inner = self.lock();
        let now = inner.now;
        while let Some(key) = inner.timers.keys().next().copied().filter(|(due, _)| *due <= now) {
            if let Some(callback) = inner.timers.remove(&key) {
                inner.events.push_back(Event::Call(callback));
            }
        }
        let late = |ctx: &Context| ctx.ended == CCM_CODE_OK && ctx.deadline.map_or(false, |due| due <= now);
        let ended: Vec<u64> = inner.contexts.iter().filter(|(_, ctx)| late(ctx)).map(|(id, _)| *id).collect();
        drop(inner);
        for id in ended {
            self.end(id, CCM_CODE_DEADLINE_EXCEEDED);
        }
    }

    /// Ends a ctx and its children, with the requests that were made with them.
    pub fn end(&self, id: u64, code: i32) {
        let mut inner = self.lock();
        let mut ends = vec![id];
        while let Some(id) = ends.pop() {
            ends.extend(inner.contexts.iter().filter(|(_, ctx)| ctx.parent == id).map(|(id, _)| *id));
            let waiting = match inner.contexts.get_mut(&id) {
                Some(ctx) if ctx.ended == CCM_CODE_OK => {
                    ctx.ended = code;
                    std::mem::take(&mut ctx.on_end)
                }
                _ => continue,
            };
            inner.events.extend(waiting.into_values().map(Event::Call));
            let hanging = std::mem::take(&mut inner.hanging);
            for (of, done) in hanging {
                if of == id {
                    let error = Error::new(ccm::Code::from_number(code), ccm::Class::None, "the ctx of the request ended");
                    inner.events.push_back(Event::Complete(done, Err(error)));
                } else {
                    inner.hanging.push((of, done));
                }
            }
        }
        drop(inner);
        self.changed.notify_all();
    }

    fn handle(&self, event: Event) {
        match event {
            Event::Call(callback) => self.run(callback),
            Event::Complete(done, outcome) => crate::services::complete_http(done, outcome),
            Event::Done(done, outcome) => crate::services::complete(done, &outcome, std::ptr::null()),
        }
    }

    /// Drops the callbacks of a component that ends, without calling them.
    pub fn clear(&self) {
        loop {
            let mut inner = self.lock();
            let mut callbacks: Vec<ccm_callback> = std::mem::take(&mut inner.listeners);
            callbacks.append(&mut inner.leader_listeners);
            callbacks.extend(std::mem::take(&mut inner.timers).into_values());
            for ctx in inner.contexts.values_mut() {
                callbacks.extend(std::mem::take(&mut ctx.on_end).into_values());
            }
            let events = std::mem::take(&mut inner.events);
            drop(inner);
            if callbacks.is_empty() && events.is_empty() {
                return;
            }
            for event in events {
                match event {
                    Event::Call(callback) => callbacks.push(callback),
                    other => self.handle(other),
                }
            }
            for callback in callbacks {
                self.drop_callback(callback);
            }
        }
    }
}
