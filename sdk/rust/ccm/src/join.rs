//! Several futures at once.
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Runs all of them at once, and gives their outcomes in their order.
pub fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> JoinAll<F> {
    JoinAll { all: futures.into_iter().map(|future| One::Open(Box::pin(future))).collect() }
}

enum One<F: Future> {
    Open(Pin<Box<F>>),
    Ended(F::Output),
}

/// The future that `join_all` returns.
pub struct JoinAll<F: Future> {
    all: Vec<One<F>>,
}

// The futures are in boxes, and their outcomes are never pinned.
impl<F: Future> Unpin for JoinAll<F> {}

impl<F: Future> Future for JoinAll<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut open = false;
        for part in &mut self.all {
            if let One::Open(future) = part {
                match future.as_mut().poll(context) {
                    Poll::Ready(outcome) => *part = One::Ended(outcome),
                    Poll::Pending => open = true,
                }
            }
        }
        if open {
            return Poll::Pending;
        }
        let outcomes = self.all.drain(..).filter_map(|part| match part {
            One::Ended(outcome) => Some(outcome),
            One::Open(_) => None,
        });
        Poll::Ready(outcomes.collect())
    }
}
