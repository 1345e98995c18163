//! One operation of the provider's: from the host's call to its one completion.
use crate::component::Component;
use crate::ctx::Done;
use crate::executor::block_on;
use crate::ffi::{guarded, Arena};
use crate::timer::Timer;
use crate::{Ctx, Error, Host, LoadBalancer, Result};
use ccm_sys::*;
use std::future::Future;
use std::os::raw::c_void;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// The future of an operation: `Box::pin(async move { ... })`.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// An operation that its future leaves open is given up that long after its ctx ended.
const GRACE: Duration = Duration::from_secs(1);

/// Completes an operation exactly once: `finish` takes it away, and one that is lost is a failure.
pub struct Completion(Option<ccm_completion>);

// A completion is called on any thread.
unsafe impl Send for Completion {}

impl Completion {
    pub fn new(done: ccm_completion) -> Completion {
        Completion(Some(done))
    }

    /// `result` lives until this returns.
    pub fn finish(mut self, outcome: &Result<*const c_void>, partial: *const c_void) {
        self.call(outcome, partial);
    }

    fn call(&mut self, outcome: &Result<*const c_void>, partial: *const c_void) {
        let done = match self.0.take() {
            Some(done) => done,
            None => return,
        };
        let (status, result) = match outcome {
            Ok(result) => (ccm_status::default(), *result),
            Err(error) => (error.to_c(), partial),
        };
        if let Some(complete) = done.fn_ {
            unsafe { complete(done.owner, done.operation, &status, result) };
        }
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        self.call(&Err(Error::internal("the provider gave the operation up")), std::ptr::null());
    }
}

/// How a result goes to the host.
pub trait ResultToC: Send + 'static {
    /// Whether a failure brings what was made so far.
    const ALSO_WITH_A_FAILURE: bool = false;

    /// It borrows from `self` and from the arena.
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void;
}

impl ResultToC for () {
    fn result_to_c(&self, _: &mut Arena) -> *const c_void {
        std::ptr::null()
    }
}

/// Reads the request while it lives, does the work, completes.
///
/// # Safety
/// Called by the host with the `self` of a component whose provider is a P.
pub unsafe fn operate<P, Request, T: ResultToC>(
    this: *mut c_void,
    ctx: ccm_ctx,
    done: ccm_completion,
    read: impl FnOnce(&Host) -> Result<Request>,
    run: for<'a> fn(&'a P, Ctx, Request) -> Task<'a, T>,
) where
    P: Send + Sync + 'static,
    Request: Send + 'static,
{
    let completion = Completion::new(done);
    let _ = guarded(|| {
        let component = &*(this as *const Component<P>);
        let host = component.host.clone();
        let request = match read(&host) {
            Ok(request) => request,
            Err(error) => return completion.finish(&Err(error), std::ptr::null()),
        };
        let provider = Arc::clone(&component.provider);
        let work = run_and_complete(host.clone(), provider, ctx.id, request, completion, run);
        if host.0.nonblocking {
            host.start(work);
        } else {
            block_on(work);
        }
    });
}

async fn run_and_complete<P: Send + Sync + 'static, Request: Send + 'static, T: ResultToC>(
    host: Host,
    provider: Arc<P>,
    ctx: u64,
    request: Request,
    completion: Completion,
    run: for<'a> fn(&'a P, Ctx, Request) -> Task<'a, T>,
) {
    let own = Ctx::new(host.clone(), ctx);
    let inner = async move { run(&provider, own, request).await };
    // All that the operation had is dropped before it is completed: the component may end then.
    let outcome = Bounded::new(host, ctx, inner).await;
    let mut arena = Arena::default();
    let partial = match &outcome {
        Err(Error { so_far: Some(made), .. }) if T::ALSO_WITH_A_FAILURE => LoadBalancer::result_to_c(made, &mut arena),
        _ => std::ptr::null(),
    };
    let outcome = outcome.map(|result| Marshalled { pointer: result.result_to_c(&mut arena), _owner: result });
    match &outcome {
        Ok(kept) => completion.finish(&Ok(kept.pointer), partial),
        Err(error) => completion.finish(&Err(error.clone()), partial),
    }
}

/// A result in C, and what it borrows from.
struct Marshalled<T> {
    pointer: *const c_void,
    _owner: T,
}

/// The provider's future, which may panic, and may not notice that its ctx has ended.
struct Bounded<F> {
    host: Host,
    ctx: u64,
    inner: Option<Pin<Box<F>>>,
    end: Option<Done>,
    grace: Option<Timer>,
}

impl<F> Bounded<F> {
    fn new(host: Host, ctx: u64, inner: F) -> Bounded<F> {
        Bounded { host, ctx, inner: Some(Box::pin(inner)), end: None, grace: None }
    }

    fn forget(&mut self) {
        let inner = self.inner.take();
        self.host.logged("the end of an operation", || drop(inner));
    }
}

impl<T, F: Future<Output = Result<T>>> Future for Bounded<F> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let this = &mut *self;
        let inner = match &mut this.inner {
            Some(inner) => inner,
            None => return Poll::Ready(Err(Error::internal("polled after its end"))),
        };
        let polled = guarded(|| inner.as_mut().poll(context)).unwrap_or_else(|cause| {
            this.host.log_panic("an operation", &cause);
            Poll::Ready(Err(Error::panicked(cause)))
        });
        if let Poll::Ready(outcome) = polled {
            this.forget();
            return Poll::Ready(outcome);
        }
        let (host, ctx) = (&this.host, this.ctx);
        let end = this.end.get_or_insert_with(|| Ctx::new(host.clone(), ctx).done());
        if this.grace.is_none() && Pin::new(end).poll(context).is_ready() {
            this.grace = Some(this.host.timer(GRACE));
        }
        let late = this.grace.as_mut().map_or(false, |grace| Pin::new(grace).poll(context).is_ready());
        if !late {
            return Poll::Pending;
        }
        this.forget();
        let ended = Ctx::new(this.host.clone(), this.ctx).check();
        Poll::Ready(Err(ended.err().unwrap_or_else(|| Error::internal("the operation was given up"))))
    }
}
