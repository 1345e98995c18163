//! `Ctx`: deadline and cancellation of one operation, as Go's context.
use crate::callback::{callback, Signal};
use crate::numbers::milliseconds;
use crate::host::call;
use crate::{Class, Code, Error, Host, Result};
use ccm_sys::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

impl Host {
    /// The ctx without deadline that ends with the component: for work that belongs to no operation.
    pub fn background(&self) -> Ctx {
        let id = call!(self, ctx.background()).map_or(0, |ctx| ctx.id);
        Ctx::new(self.clone(), id)
    }
}

/// Pass it on to every service of the host: its deadline and cancellation then hold for your requests, and the host knows
/// for which controller and object they are made. One that is used after its operation ended counts as cancelled.
pub struct Ctx {
    host: Host,
    id: u64,
    /// A child, which ends with this value.
    child: bool,
}

impl Ctx {
    pub(crate) fn new(host: Host, id: u64) -> Ctx {
        Ctx { host, id, child: false }
    }

    pub(crate) fn raw(&self) -> ccm_ctx {
        ccm_ctx { id: self.id }
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// A child that ends with this one, after `timeout`, by `cancel`, or when it is dropped.
    pub fn with_timeout(&self, timeout: Duration) -> Ctx {
        self.child(milliseconds(timeout))
    }

    /// A child without a deadline of its own.
    pub fn with_cancel(&self) -> Ctx {
        self.child(i64::MAX)
    }

    fn child(&self, timeout_ms: i64) -> Ctx {
        match call!(self.host, ctx.with_timeout(self.raw(), timeout_ms)) {
            Some(made) => Ctx { host: self.host.clone(), id: made.id, child: true },
            None => Ctx { host: self.host.clone(), id: self.id, child: false },
        }
    }

    /// Ends a child, and everything that was started with it; any other ctx is left alone.
    pub fn cancel(&self) {
        if self.child {
            call!(self.host, ctx.cancel(self.raw()));
        }
    }

    /// The time that is left; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        match call!(self.host, ctx.remaining_ms(self.raw())) {
            None | Some(i64::MAX) => None,
            Some(left) => Some(Duration::from_millis(left.max(0) as u64)),
        }
    }

    /// Why it ended; a success while it has not.
    pub fn check(&self) -> Result<()> {
        match call!(self.host, ctx.end_code(self.raw())) {
            None | Some(CCM_CODE_OK) => Ok(()),
            Some(CCM_CODE_DEADLINE_EXCEEDED) => {
                Err(Error::new(Code::DeadlineExceeded, Class::Unavailable, "the time is over"))
            }
            Some(_) => Err(Error::new(Code::Cancelled, Class::None, "the operation was cancelled")),
        }
    }

    /// Waits until it ends.
    pub fn done(&self) -> Done {
        Done { host: self.host.clone(), ctx: self.raw(), signal: Arc::default(), registration: None }
    }
}

impl Drop for Ctx {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The future that `Ctx::done` returns.
pub struct Done {
    host: Host,
    ctx: ccm_ctx,
    signal: Arc<Signal>,
    registration: Option<u64>,
}

impl Future for Done {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.registration.is_none() {
            let signal = Arc::clone(&self.signal);
            let end = callback(move || signal.raise());
            let registered = call!(self.host, ctx.on_end(self.ctx, end));
            if registered.is_none() {
                crate::callback::drop_callback(end);
            }
            if registered == Some(0) {
                self.signal.raise(); // the component ends
            }
            self.registration = Some(registered.unwrap_or(0));
        }
        self.signal.poll(context)
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(registration @ 1..=u64::MAX) = self.registration {
            call!(self.host, ctx.remove_on_end(self.ctx, registration));
        }
    }
}
