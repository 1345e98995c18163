//! Runs futures: in the plugin's [serial] context, by the host's completions, timers and posts; or on the thread of a
//! blocking operation.
use crate::callback::callback;
use crate::ffi::guarded;
use crate::host::call;
use crate::jobs::{Unfinished, Work};
use crate::Host;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// One future. It is polled in [serial] alone, so never twice at once; wakers may be called on any thread.
pub(crate) struct Job {
    number: u64,
    host: Host,
    queued: AtomicBool,
    work: Mutex<Option<Work>>,
}

impl Job {
    fn run(self: &Arc<Job>) {
        self.queued.store(false, Ordering::SeqCst);
        // Taken out: what it does may wake it, or end the component's jobs.
        let mut work = match self.take() {
            Some(work) => work,
            None => return,
        };
        let waker = Waker::from(Arc::clone(self));
        let mut context = Context::from_waker(&waker);
        if let Some(Poll::Pending) = self.host.logged("a task", || work.as_mut().poll(&mut context)) {
            *self.work.lock().unwrap() = Some(work);
            return;
        }
        self.host.logged("the end of a task", || drop(work));
        self.host.0.jobs.lock().unwrap().remove(self.number);
    }
}

impl Unfinished for Job {
    fn take(&self) -> Option<Work> {
        self.work.lock().unwrap().take()
    }
}

impl Wake for Job {
    fn wake(self: Arc<Job>) {
        if self.queued.swap(true, Ordering::SeqCst) {
            return;
        }
        let host = self.host.clone();
        let next = callback(move || self.run());
        if call!(host, post.post(next)).is_none() {
            crate::callback::drop_callback(next);
        }
    }
}

impl Host {
    fn job(&self, work: Work) -> Arc<Job> {
        let mut jobs = self.0.jobs.lock().unwrap();
        let job = Arc::new(Job {
            number: jobs.next_number(),
            host: self.clone(),
            queued: AtomicBool::new(false),
            work: Mutex::new(Some(work)),
        });
        jobs.insert(job.number, job.clone());
        job
    }

    /// Begins at once, on the calling thread, which is [serial].
    pub(crate) fn start(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.job(Box::pin(work)).run();
    }

    /// Runs work that nobody waits for, in the host's own thread: what it does between two `await`s must take less than
    /// 10 ms. It is dropped when the component ends. A panic in it is logged and ends it alone.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.job(Box::pin(work)).wake();
    }

    /// Drops what has not ended. [serial]
    pub(crate) fn end_jobs(&self) {
        loop {
            // Not under the lock: what is dropped may come back here.
            let first = self.0.jobs.lock().unwrap().take_first();
            let job = match first {
                Some(job) => job,
                None => return,
            };
            let work = job.take();
            self.logged("the end of a task", || drop(work));
        }
    }
}

struct Parked {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Parked {
    fn wake(self: Arc<Parked>) {
        self.woken.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Waits on the calling thread until the future has ended: a [worker] thread, which may be made to wait.
pub(crate) fn block_on(work: impl Future<Output = ()>) {
    let parked = Arc::new(Parked { thread: std::thread::current(), woken: AtomicBool::new(true) });
    let waker = Waker::from(Arc::clone(&parked));
    let mut work = Box::pin(work);
    let _ = guarded(|| loop {
        while !parked.woken.swap(false, Ordering::SeqCst) {
            std::thread::park();
        }
        if work.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            return;
        }
    });
    let _ = guarded(|| drop(work));
}
