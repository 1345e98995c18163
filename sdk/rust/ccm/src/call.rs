//! One operation of the host's, which completes later.
use crate::ffi::guarded;
use crate::{Ctx, Error, Result};
use ccm_sys::*;
use std::future::Future;
use std::os::raw::c_void;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

type Read<T> = Box<dyn FnOnce(*const c_void) -> Result<T> + Send>;

struct Slot<T> {
    read: Mutex<Option<Read<T>>>,
    state: Mutex<(Option<Result<T>>, Option<Waker>)>,
}

impl<T> Slot<T> {
    fn settle(&self, outcome: Result<T>) {
        let waker = {
            let mut state = self.state.lock().unwrap();
            state.0 = Some(outcome);
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Its future. The operation was begun; it is cancelled when this is dropped. A result that comes later is dropped with
/// all that belongs to it.
pub struct Call<T> {
    slot: Arc<Slot<T>>,
    _ctx: Ctx,
}

impl<T: Send + 'static> Call<T> {
    /// `begin` starts the operation with the given ctx and completion, or gives `None` when this host lacks it. `read`
    /// copies a result while it lives; it gets NULL when the host gave none.
    pub fn begin(
        ctx: &Ctx,
        id: &str,
        begin: impl FnOnce(ccm_ctx, ccm_completion) -> Option<()>,
        read: impl FnOnce(*const c_void) -> Result<T> + Send + 'static,
    ) -> Call<T> {
        unsafe extern "C" fn completed<T>(owner: *mut c_void, _: u64, status: *const ccm_status, result: *const c_void) {
            // Exactly once for each operation.
            let slot = Arc::from_raw(owner as *const Slot<T>);
            let _ = guarded(|| {
                let read = slot.read.lock().unwrap().take();
                let read = read.unwrap_or_else(|| Box::new(|_| Err(Error::internal("completed twice"))));
                slot.settle(Error::check(status).and_then(|()| read(result)));
            });
            let _ = guarded(|| drop(slot));
        }
        // A child of its own, so that dropping the future ends the operation.
        let child = ctx.with_cancel();
        let slot: Arc<Slot<T>> = Arc::new(Slot { read: Mutex::new(Some(Box::new(read))), state: Mutex::new((None, None)) });
        let owner = Arc::into_raw(Arc::clone(&slot));
        let done = ccm_completion { fn_: Some(completed::<T>), owner: owner as *mut c_void, operation: 0 };
        if begin(child.raw(), done).is_none() {
            drop(unsafe { Arc::from_raw(owner) });
            slot.settle(Err(Error::missing(id)));
        }
        Call { slot, _ctx: child }
    }
}

impl<T> Future for Call<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut state = self.slot.state.lock().unwrap();
        match state.0.take() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                state.1 = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
