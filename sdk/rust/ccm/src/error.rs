//! How operations fail.
use crate::ffi;
use crate::load_balancer::LoadBalancer;
use crate::numbers::{milliseconds, numbers};
use ccm_sys::*;
use std::fmt;
use std::time::Duration;

/// The outcome of an operation, of the provider's or of the host's.
pub type Result<T> = std::result::Result<T, Error>;

numbers! {
    /// gRPC's status codes, and one of our own. A code is for people, metrics and tests; what the host does about an error
    /// follows from its class.
    Code, else Unknown {
        Ok = CCM_CODE_OK,
        Cancelled = CCM_CODE_CANCELLED,
        Unknown = CCM_CODE_UNKNOWN,
        InvalidArgument = CCM_CODE_INVALID_ARGUMENT,
        DeadlineExceeded = CCM_CODE_DEADLINE_EXCEEDED,
        NotFound = CCM_CODE_NOT_FOUND,
        AlreadyExists = CCM_CODE_ALREADY_EXISTS,
        PermissionDenied = CCM_CODE_PERMISSION_DENIED,
        ResourceExhausted = CCM_CODE_RESOURCE_EXHAUSTED,
        FailedPrecondition = CCM_CODE_FAILED_PRECONDITION,
        Aborted = CCM_CODE_ABORTED,
        OutOfRange = CCM_CODE_OUT_OF_RANGE,
        Unimplemented = CCM_CODE_UNIMPLEMENTED,
        Internal = CCM_CODE_INTERNAL,
        Unavailable = CCM_CODE_UNAVAILABLE,
        DataLoss = CCM_CODE_DATA_LOSS,
        Unauthenticated = CCM_CODE_UNAUTHENTICATED,
        /// Another program does this: leave it alone.
        ImplementedElsewhere = CCM_CODE_IMPLEMENTED_ELSEWHERE,
    }
}

numbers! {
    /// The class says what the host does about an error.
    Class, else None {
        /// Nothing is known about it: retried with back-off.
        None = CCM_CLASS_NONE,
        /// The object asks for something impossible: not before it changes.
        InvalidSpec = CCM_CLASS_INVALID_SPEC,
        /// The credential was refused.
        Auth = CCM_CLASS_AUTH,
        /// A limit of the account: slowly, and when the object changes.
        Quota = CCM_CLASS_QUOTA,
        /// Somebody else wrote: at once.
        Conflict = CCM_CLASS_CONFLICT,
        /// Too many calls: after `retry_after`.
        Throttled = CCM_CLASS_THROTTLED,
        /// The cloud is down or slow: with back-off.
        Unavailable = CCM_CLASS_UNAVAILABLE,
        /// No fault, the cloud still works on it: after `retry_after`.
        Waiting = CCM_CLASS_WAITING,
        /// It certainly does not exist.
        NotFound = CCM_CLASS_NOT_FOUND,
        /// This cloud or plugin cannot do it: not before the object changes.
        Unsupported = CCM_CLASS_UNSUPPORTED,
    }
}

/// Reasons that the host gives, or that it knows.
pub mod reason {
    pub use ccm_sys::{
        CCM_REASON_CALL_BUDGET_SPENT as CALL_BUDGET_SPENT, CCM_REASON_CONTEXT_ENDED as CONTEXT_ENDED,
        CCM_REASON_DELETION_BRAKE_ENGAGED as DELETION_BRAKE_ENGAGED, CCM_REASON_NOT_LEADING as NOT_LEADING,
        CCM_REASON_NOT_OWNED as NOT_OWNED, CCM_REASON_OPERATION_NOT_COMPLETED as OPERATION_NOT_COMPLETED,
        CCM_REASON_UNKNOWN_REQUEST as UNKNOWN_REQUEST, CCM_REASON_WRONG_THREAD as WRONG_THREAD,
    };
}

/// How an operation of the provider fails, and how a service of the host did. Return the host's as they are: `?` does so.
#[derive(Clone, Debug)]
pub struct Error {
    pub code: Code,
    pub class: Class,
    /// 0 = not said.
    pub retry_after: Duration,
    /// CamelCase, fit for the reason of an Event; may be empty.
    pub reason: String,
    /// For people, without secrets.
    pub message: String,
    /// What an operation on a load balancer that failed half-way made so far, so that its id is recorded.
    pub so_far: Option<Box<LoadBalancer>>,
}

impl Error {
    pub fn new(code: Code, class: Class, message: impl Into<String>) -> Error {
        Error { code, class, retry_after: Duration::ZERO, reason: String::new(), message: message.into(), so_far: None }
    }

    /// The configuration cannot be used; from `Provider::initialize` it ends the host with the message.
    pub fn invalid_config(message: impl Into<String>) -> Error {
        Error::new(Code::InvalidArgument, Class::None, message)
    }

    /// The object asks for something impossible.
    pub fn invalid_spec(message: impl Into<String>) -> Error {
        Error::new(Code::InvalidArgument, Class::InvalidSpec, message)
    }

    /// The instance or load balancer certainly does not exist. Never say so of a cloud that did not answer.
    pub fn not_found(message: impl Into<String>) -> Error {
        Error::new(Code::NotFound, Class::NotFound, message)
    }

    /// `delete_load_balancer` left alone what the recorded id leads to, since it bears no mark of ours. The other
    /// operations give the state `Foreign` instead.
    pub fn not_owned(message: impl Into<String>) -> Error {
        Error::new(Code::FailedPrecondition, Class::None, message).with_reason(CCM_REASON_NOT_OWNED)
    }

    /// The cloud, or what it said, cannot be used now.
    pub fn unavailable(message: impl Into<String>) -> Error {
        Error::new(Code::Unavailable, Class::Unavailable, message)
    }

    /// The cloud still works on it: the host comes back.
    pub fn waiting(retry_after: Duration, message: impl Into<String>) -> Error {
        Error::new(Code::Unavailable, Class::Waiting, message).with_retry_after(retry_after)
    }

    /// This provider cannot do it.
    pub fn unsupported(message: impl Into<String>) -> Error {
        Error::new(Code::Unimplemented, Class::Unsupported, message)
    }

    /// Another program does it, which is no failure.
    pub fn implemented_elsewhere(message: impl Into<String>) -> Error {
        Error::new(Code::ImplementedElsewhere, Class::None, message)
    }

    /// A fault of the provider itself.
    pub fn internal(message: impl Into<String>) -> Error {
        Error::new(Code::Internal, Class::None, message)
    }

    pub fn with_reason(mut self, reason: impl Into<String>) -> Error {
        self.reason = reason.into();
        self
    }

    pub fn with_retry_after(mut self, retry_after: Duration) -> Error {
        self.retry_after = retry_after;
        self
    }

    /// Adds what was being done, outermost first: "list instances: ...".
    pub fn context(mut self, what: impl fmt::Display) -> Error {
        self.message = format!("{}: {}", what, self.message);
        self
    }

    /// Adds the part that `ensure_load_balancer` or `update_load_balancer` made before it failed.
    pub fn with_load_balancer(mut self, so_far: LoadBalancer) -> Error {
        self.so_far = Some(Box::new(so_far));
        self
    }

    pub(crate) fn panicked(message: String) -> Error {
        Error::internal(format!("the provider panicked: {}", message))
    }

    pub(crate) fn unknown_request() -> Error {
        Error::unsupported("the request has parts that this plugin does not know").with_reason(CCM_REASON_UNKNOWN_REQUEST)
    }

    pub(crate) fn missing(id: &str) -> Error {
        Error::unsupported(format!("the host has no {}", id))
    }

    /// OWNERSHIP: borrows from this object.
    #[doc(hidden)]
    pub fn to_c(&self) -> ccm_status {
        ccm_status {
            // A failure without a code would be a success.
            code: if self.code == Code::Ok { CCM_CODE_UNKNOWN } else { self.code.number() },
            error_class: self.class.number(),
            retry_after_ms: milliseconds(self.retry_after),
            reason: ffi::borrow(&self.reason),
            message: ffi::borrow(&self.message),
            ..ccm_status::default()
        }
    }

    /// # Safety
    /// `status` is one that was passed over the ABI.
    #[doc(hidden)]
    pub unsafe fn check(status: *const ccm_status) -> Result<()> {
        if status.is_null() {
            return Ok(());
        }
        let known = ffi::known(status);
        if (known.size as usize) < 2 * std::mem::size_of::<u32>() {
            return Err(Error::internal("the status is too short"));
        }
        if known.code == CCM_CODE_OK {
            return Ok(());
        }
        Err(Error::new(Code::from_number(known.code), Class::from_number(known.error_class), ffi::string(known.message))
            .with_reason(ffi::string(known.reason))
            .with_retry_after(Duration::from_millis(known.retry_after_ms.max(0) as u64)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message.is_empty(), self.reason.is_empty()) {
            (false, _) => to.write_str(&self.message),
            (true, false) => to.write_str(&self.reason),
            _ => write!(to, "{:?}", self.code),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(from: std::io::Error) -> Error {
        Error::new(Code::Unknown, Class::None, from.to_string())
    }
}
