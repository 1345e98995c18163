//! Functions that the host calls later, and signals that futures wait for.
use crate::ffi::guarded;
use ccm_sys::ccm_callback;
use std::mem::ManuallyDrop;
use std::os::raw::c_void;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Hands a function over. The host drops it exactly once, also while it runs.
pub fn callback<F: Fn() + Send + Sync + 'static>(run: F) -> ccm_callback {
    unsafe extern "C" fn call<F: Fn()>(owner: *mut c_void) {
        // A reference of its own: the function may have the host drop the callback.
        let run = Arc::clone(&ManuallyDrop::new(Arc::from_raw(owner as *const F)));
        let _ = guarded(|| run());
        let _ = guarded(|| drop(run));
    }
    unsafe extern "C" fn release<F>(owner: *mut c_void) {
        let _ = guarded(|| drop(Arc::from_raw(owner as *const F)));
    }
    ccm_callback { fn_: Some(call::<F>), drop: Some(release::<F>), owner: Arc::into_raw(Arc::new(run)) as *mut c_void }
}

/// Drops a callback for a host that does not take it.
pub fn drop_callback(callback: ccm_callback) {
    if let Some(release) = callback.drop {
        unsafe { release(callback.owner) };
    }
}

/// Something that happens once.
#[derive(Default)]
pub struct Signal(Mutex<(bool, Option<Waker>)>);

impl Signal {
    pub fn raise(&self) {
        let waker = {
            let mut state = self.0.lock().unwrap();
            state.0 = true;
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }
}
