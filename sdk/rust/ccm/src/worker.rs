//! Blocking functions inside a non-blocking plugin.
use crate::call::Call;
use crate::callback::callback;
use crate::host::call;
use crate::{Ctx, Error, Host, Result};
use ccm_sys::*;
use std::sync::{Arc, Mutex};

impl Host {
    /// Runs a function that blocks, such as a vendor's library, on a thread of the host's pool. One that runs is never given
    /// up; one that has not begun when `ctx` ends is not called.
    pub async fn run_blocking<T, F>(&self, ctx: &Ctx, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        self.begin_work(ctx, work).await
    }

    fn begin_work<T, F>(&self, ctx: &Ctx, work: F) -> Call<T>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let outcome = Arc::new(Mutex::new(None));
        let (host, made, work) = (self.clone(), Arc::clone(&outcome), Mutex::new(Some(work)));
        let run = callback(move || {
            let work = work.lock().unwrap().take();
            let given = work.and_then(|work| host.logged("blocking work", work));
            *made.lock().unwrap() = given;
        });
        let request = ccm_work_request { work: run, ..ccm_work_request::default() };
        let begin = |ctx, done| {
            let begun = call!(self, worker.run(ctx, &request, done));
            if begun.is_none() {
                crate::callback::drop_callback(run);
            }
            begun
        };
        Call::begin(ctx, CCM_HOST_WORKER, begin, move |_| {
            let made = outcome.lock().unwrap().take();
            made.ok_or_else(|| Error::internal("the blocking function panicked"))
        })
    }
}
