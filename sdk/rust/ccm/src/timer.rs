//! Clocks and waiting.
use crate::callback::{callback, drop_callback, Signal};
use crate::ctx::Done;
use crate::numbers::milliseconds;
use crate::host::call;
use crate::{Ctx, Host, Result};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

impl Host {
    /// Monotonic; advances while the machine sleeps.
    pub fn now(&self) -> Duration {
        Duration::from_millis(call!(self, timer.now_ms()).unwrap_or(0).max(0) as u64)
    }

    /// The host's wall clock.
    pub fn wall_clock(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(call!(self, timer.wall_clock_ms()).unwrap_or(0).max(0) as u64)
    }

    /// Waits; a success after `delay`, else why `ctx` ended before. A wait for the cloud is better answered with
    /// `Error::waiting` than slept.
    pub async fn sleep(&self, ctx: &Ctx, delay: Duration) -> Result<()> {
        ctx.check()?;
        Sleep { timer: self.timer(delay), end: ctx.done() }.await;
        if ctx.check().is_err() {
            return ctx.check();
        }
        Ok(())
    }

    pub(crate) fn timer(&self, delay: Duration) -> Timer {
        Timer { host: self.clone(), delay, signal: Arc::default(), number: None }
    }
}

/// Waits for a time, whatever happens to a ctx.
pub(crate) struct Timer {
    host: Host,
    delay: Duration,
    signal: Arc<Signal>,
    number: Option<u64>,
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.number.is_none() {
            let signal = Arc::clone(&self.signal);
            let end = callback(move || signal.raise());
            let started = call!(self.host, timer.after(milliseconds(self.delay), end));
            if started.is_none() {
                drop_callback(end);
            }
            if started.unwrap_or(0) == 0 {
                self.signal.raise(); // no timer starts any more: nobody waits for ever
            }
            self.number = Some(started.unwrap_or(0));
        }
        self.signal.poll(context)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(number @ 1..=u64::MAX) = self.number {
            call!(self.host, timer.cancel(number));
        }
    }
}

struct Sleep {
    timer: Timer,
    end: Done,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Pin::new(&mut self.timer).poll(context).is_ready() || Pin::new(&mut self.end).poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}
