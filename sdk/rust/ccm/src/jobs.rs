//! The futures of a component that have not ended. What runs them, `executor`, knows the host; the host knows only this.
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One of them.
pub(crate) trait Unfinished: Send + Sync {
    /// Its future, unless it runs just now.
    fn take(&self) -> Option<Work>;
}

/// All of them, by number.
#[derive(Default)]
pub(crate) struct Jobs {
    last: u64,
    running: BTreeMap<u64, Arc<dyn Unfinished>>,
}

impl Jobs {
    pub(crate) fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(crate) fn insert(&mut self, number: u64, job: Arc<dyn Unfinished>) {
        self.running.insert(number, job);
    }

    pub(crate) fn remove(&mut self, number: u64) {
        self.running.remove(&number);
    }

    pub(crate) fn take_first(&mut self) -> Option<Arc<dyn Unfinished>> {
        let first = self.running.keys().next().copied()?;
        self.running.remove(&first)
    }
}
