//! The structured log.
use crate::ffi::{self, guarded, Arena};
use crate::host::call;
use crate::{Ctx, Host};
use ccm_sys::*;
use std::fmt::Display;
use std::panic::Location;

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Info,
    Debug,
    /// klog's verbosity: written when -v is at least that.
    Verbosity(i32),
}

impl Level {
    fn number(self) -> i32 {
        match self {
            Level::Error => CCM_LOG_ERROR,
            Level::Warning => CCM_LOG_WARNING,
            Level::Info => CCM_LOG_INFO,
            Level::Debug => CCM_LOG_DEBUG,
            Level::Verbosity(number) => number.max(0),
        }
    }
}

impl Host {
    /// Writes a line: a constant message, then keys and values. Never log a secret.
    #[track_caller]
    pub fn log(&self, level: Level, message: &str, pairs: &[(&str, &dyn Display)]) {
        self.write(ccm_ctx { id: 0 }, level, message, pairs, Location::caller());
    }

    fn write(&self, ctx: ccm_ctx, level: Level, message: &str, pairs: &[(&str, &dyn Display)], place: &Location<'_>) {
        if call!(self, log.enabled(level.number())).unwrap_or(0) == 0 {
            return;
        }
        let values: Vec<String> = pairs.iter().map(|(_, value)| value.to_string()).collect();
        let mut arena = Arena::default();
        let (pairs, pair_count) = arena.array(
            pairs
                .iter()
                .zip(&values)
                .map(|((key, _), value)| ccm_key_value { key: ffi::borrow(key), value: ffi::borrow(value) })
                .collect(),
        );
        let file = place.file().rsplit('/').next().unwrap_or("");
        let record = ccm_log_record {
            level: level.number(),
            message: ffi::borrow(message),
            pairs,
            pair_count,
            file: ffi::borrow(file),
            line: place.line(),
            ..ccm_log_record::default()
        };
        call!(self, log.write(ctx, &record));
    }
}

impl Host {
    /// Runs what the author wrote; a panic is logged, and `None`.
    pub(crate) fn logged<T>(&self, place: &str, run: impl FnOnce() -> T) -> Option<T> {
        guarded(run).map_err(|cause| self.log_panic(place, &cause)).ok()
    }

    pub(crate) fn log_panic(&self, place: &str, cause: &str) {
        self.log(Level::Error, "Panic in the plugin", &[("where", &place), ("err", &cause)]);
    }
}

impl Ctx {
    /// As `Host::log`, with what the host knows of the operation: controller, object, cluster.
    #[track_caller]
    pub fn log(&self, level: Level, message: &str, pairs: &[(&str, &dyn Display)]) {
        self.host().write(self.raw(), level, message, pairs, Location::caller());
    }
}
