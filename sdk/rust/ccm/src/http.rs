//! HTTP by the host, which owns connections, TLS, proxy, retries, the call budget of a credential, metrics and redacted
//! logs.
use crate::call::Call;
use crate::numbers::milliseconds;
use crate::ffi::{self, Arena, Table};
use crate::host::call;
use crate::time_text::parse_http_date;
use crate::{Class, Code, Ctx, Error, Host, Result};
use ccm_sys::*;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// One request. `HttpRequest::new("GET", url)` and what differs.
#[derive(Clone, Debug, Default)]
pub struct HttpRequest {
    /// Empty = GET.
    pub method: String,
    /// Absolute, http or https.
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// For metrics and logs, from a small fixed set: "ListMachines".
    pub operation: String,
    /// Names the call budget; empty = the plugin's only one.
    pub credential: String,
    /// For one try; 0 = 30 s.
    pub timeout: Duration,
    /// 0 = 3 for GET and HEAD and if idempotent, 1 for the rest.
    pub max_tries: u32,
    /// Changes nothing that counts (a log-in, a log-out, a search by POST): sent by standbys too.
    pub read_only: bool,
    /// Doing it twice is doing it once: retried like a GET.
    pub idempotent: bool,
    /// Further texts to redact, such as a password in the body.
    pub secrets: Vec<String>,
    /// What a write takes away, in words, for a dry run.
    pub replaces: String,
}

impl HttpRequest {
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> HttpRequest {
        HttpRequest { method: method.into(), url: url.into(), ..HttpRequest::default() }
    }

    pub fn operation(mut self, name: impl Into<String>) -> HttpRequest {
        self.operation = name.into();
        self
    }

    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> HttpRequest {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> HttpRequest {
        self.body = body.into();
        self
    }
}

/// An answer, whatever its status.
#[derive(Clone, Debug, Default)]
pub struct HttpResponse {
    pub status: u32,
    /// Names are lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// The first header of that lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The answer, when its status is below 300; else the failure that it stands for: class, code and reason by its status,
    /// `retry_after` by its Retry-After, an hour at most. `operation` names what was asked ("ListMachines").
    ///
    /// A 404 gets `Code::Unknown` and no class, since a wrong path gives one too. Look at `status` first, and return
    /// `Error::not_found` or a success, where a 404 proves that the instance or load balancer does not exist.
    pub fn check(self, operation: &str) -> Result<HttpResponse> {
        match self.http_failure(operation) {
            Some(failure) => Err(failure),
            None => Ok(self),
        }
    }

    /// The failure that `check` gives, for an answer that is still needed; nothing when its status is below 300.
    pub fn http_failure(&self, operation: &str) -> Option<Error> {
        let (code, class, reason) = match self.status {
            0..=299 => return None,
            400 | 422 => (Code::FailedPrecondition, Class::InvalidSpec, "CloudRefused"),
            401 => (Code::Unauthenticated, Class::Auth, "CloudCredentialRefused"),
            402 => (Code::ResourceExhausted, Class::Quota, "CloudQuotaReached"),
            403 => (Code::PermissionDenied, Class::Auth, "CloudPermissionDenied"),
            409 | 412 => (Code::Aborted, Class::Conflict, "CloudConflict"),
            429 => (Code::ResourceExhausted, Class::Throttled, "CloudThrottled"),
            501 => (Code::Unimplemented, Class::Unsupported, "CloudUnsupported"),
            408 | 500..=u32::MAX => (Code::Unavailable, Class::Unavailable, "CloudUnavailable"),
            _ => (Code::Unknown, Class::None, "UnexpectedCloudAnswer"),
        };
        let message = format!("{}: HTTP {}", operation, self.status);
        Some(Error::new(code, class, message).with_reason(reason).with_retry_after(self.retry_after()))
    }

    /// The pause that the answer asks for by its Retry-After, in seconds or as a date: an hour at most, also where the number
    /// fits no integer. 0 for all else: a negative number, a date that has passed, garbage, nothing.
    pub fn retry_after(&self) -> Duration {
        pause_of(self.header("retry-after").unwrap_or(""), SystemTime::now())
    }
}

/// The pause that a Retry-After asks for at `now`.
fn pause_of(text: &str, now: SystemTime) -> Duration {
    const LONGEST: Duration = Duration::from_secs(3600);
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map_or(LONGEST, Duration::from_secs).min(LONGEST);
    }
    let date = parse_http_date(text).and_then(|date| date.duration_since(now).ok());
    date.unwrap_or(Duration::ZERO).min(LONGEST)
}

impl Host {
    /// One exchange. Any answer is a success, whatever its status. It is cancelled when `ctx` ends, or when the future is
    /// dropped.
    pub async fn http(&self, ctx: &Ctx, request: HttpRequest) -> Result<HttpResponse> {
        let http = self.services().map(|services| Shared { table: services.http, abi_minor: services.abi_minor });
        send(http, ctx, request).await
    }

    /// Makes a client with a CA, certificate or proxy of its own. It connects nowhere yet.
    pub async fn open_http_client(&self, ctx: &Ctx, options: HttpClientOptions) -> Result<HttpClient> {
        self.begin_open(ctx, options).await
    }

    fn begin_open(&self, ctx: &Ctx, options: HttpClientOptions) -> Call<HttpClient> {
        let host = self.clone();
        let abi_minor = self.services().map_or(0, |services| services.abi_minor);
        let read = move |result: *const std::os::raw::c_void| {
            if result.is_null() {
                return Err(Error::internal("the host gave no HTTP client"));
            }
            let made = unsafe { ffi::known(result as *const ccm_http_client) };
            let http = Shared { table: unsafe { Table::of(made.http) }, abi_minor };
            Ok(HttpClient { open: Arc::new(Open { host, http, number: made.number }) })
        };
        let mut arena = Arena::default();
        let raw = options.to_c(&mut arena);
        Call::begin(ctx, CCM_HOST_HTTP_CLIENT, |ctx, done| call!(self, http_client.open(ctx, &raw, done)), read)
    }
}

/// A table of ccm_host_http, and what its host knows.
#[derive(Clone, Copy)]
struct Shared {
    table: Table<ccm_host_http>,
    abi_minor: u32,
}
// Its functions are tagged [any-thread].
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

fn send(http: Option<Shared>, ctx: &Ctx, request: HttpRequest) -> Call<HttpResponse> {
    let mut arena = Arena::default();
    let (headers, header_count) = arena.pairs(request.headers.iter().map(|(name, value)| (name, value)));
    let (secrets, secret_count) = arena.texts(&request.secrets);
    let read_only = if request.read_only { CCM_HTTP_READ_ONLY } else { 0 };
    let idempotent = if request.idempotent { CCM_HTTP_IDEMPOTENT } else { 0 };
    // An older host refuses what it does not know.
    let tells_more = http.map_or(false, |http| http.abi_minor >= 1);
    let raw = ccm_http_request {
        flags: (read_only | idempotent) as u32,
        method: ffi::borrow(&request.method),
        url: ffi::borrow(&request.url),
        headers,
        header_count,
        body: ffi::borrow_bytes(&request.body),
        operation: ffi::borrow(&request.operation),
        credential: ffi::borrow(&request.credential),
        timeout_ms: milliseconds(request.timeout).min(u32::MAX.into()) as u32,
        max_tries: request.max_tries,
        secrets,
        secret_count,
        replaces: ffi::borrow(if tells_more { request.replaces.as_str() } else { "" }),
        ..ccm_http_request::default()
    };
    let begin = |ctx, done| {
        let http = http?.table;
        http.functions.send.map(|function| unsafe { function(http.this, ctx, &raw, done) })
    };
    Call::begin(ctx, CCM_HOST_HTTP, begin, |result| {
        if result.is_null() {
            return Err(Error::internal("the host gave no HTTP answer"));
        }
        unsafe {
            let raw = ffi::known(result as *const ccm_http_response);
            let headers = ffi::slice(raw.headers, raw.header_count);
            Ok(HttpResponse {
                status: raw.status_code,
                headers: headers.iter().map(|pair| (ffi::string(pair.key), ffi::string(pair.value))).collect(),
                body: ffi::bytes(raw.body).to_vec(),
            })
        }
    })
}

/// How a client of its own differs from the shared one. Of a text and a file for the same, the text counts; files have
/// absolute paths and are read again when they change. Empty = the host's choice.
#[derive(Clone, Debug, Default)]
pub struct HttpClientOptions {
    /// For logs: "keystone".
    pub name: String,
    pub ca_pem: String,
    pub ca_file: String,
    /// Our own, with its chain.
    pub certificate_pem: String,
    pub certificate_file: String,
    pub key_pem: String,
    pub key_file: String,
    /// To check and to send by SNI; empty = the URL's host.
    pub server_name: String,
    /// SHA-256 of the one certificate that is trusted, in hexadecimal digits.
    pub fingerprint: String,
    /// http://, https:// or socks5:// URL; empty = as the environment says.
    pub proxy: String,
    /// None, whatever the environment says.
    pub no_proxy: bool,
    /// The server is not checked: only when the user asked for it.
    pub insecure: bool,
    /// To one origin; 0 = 32.
    pub max_connections: u32,
    /// Bytes of an answer; 0 = 64 MiB, which is also the most.
    pub body_limit: i64,
    /// Further texts to redact.
    pub secrets: Vec<String>,
}

impl HttpClientOptions {
    fn to_c(&self, arena: &mut Arena) -> ccm_http_client_options {
        let (secrets, secret_count) = arena.texts(&self.secrets);
        let insecure = if self.insecure { CCM_HTTP_INSECURE } else { 0 };
        let no_proxy = if self.no_proxy { CCM_HTTP_NO_PROXY } else { 0 };
        ccm_http_client_options {
            flags: (insecure | no_proxy) as u32,
            name: ffi::borrow(&self.name),
            ca_pem: ffi::borrow(&self.ca_pem),
            ca_file: ffi::borrow(&self.ca_file),
            certificate_pem: ffi::borrow(&self.certificate_pem),
            certificate_file: ffi::borrow(&self.certificate_file),
            key_pem: ffi::borrow(&self.key_pem),
            key_file: ffi::borrow(&self.key_file),
            server_name: ffi::borrow(&self.server_name),
            fingerprint: ffi::borrow(&self.fingerprint),
            proxy: ffi::borrow(&self.proxy),
            max_connections: self.max_connections,
            body_limit: self.body_limit,
            secrets,
            secret_count,
            ..ccm_http_client_options::default()
        }
    }
}

/// A client of its own. It is closed with its last copy; exchanges that it has are cancelled then.
#[derive(Clone)]
pub struct HttpClient {
    open: Arc<Open>,
}

struct Open {
    host: Host,
    http: Shared,
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        call!(self.host, http_client.close(self.number));
    }
}

impl HttpClient {
    /// As `Host::http`.
    pub async fn http(&self, ctx: &Ctx, request: HttpRequest) -> Result<HttpResponse> {
        let http = self.open.host.services().map(|_| self.open.http);
        send(http, ctx, request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_a_code_and_a_class() {
        for (status, code, class, reason) in [
            (302, Code::Unknown, Class::None, "UnexpectedCloudAnswer"),
            (400, Code::FailedPrecondition, Class::InvalidSpec, "CloudRefused"),
            (402, Code::ResourceExhausted, Class::Quota, "CloudQuotaReached"),
            (404, Code::Unknown, Class::None, "UnexpectedCloudAnswer"),
            (408, Code::Unavailable, Class::Unavailable, "CloudUnavailable"),
            (429, Code::ResourceExhausted, Class::Throttled, "CloudThrottled"),
            (501, Code::Unimplemented, Class::Unsupported, "CloudUnsupported"),
            (503, Code::Unavailable, Class::Unavailable, "CloudUnavailable"),
        ] {
            let response = HttpResponse { status, ..HttpResponse::default() };
            let failure = response.http_failure("ListMachines").expect("a failure");
            assert!(failure.code == code && failure.class == class && failure.reason == reason, "{}", status);
        }
        let response = HttpResponse { status: 204, ..HttpResponse::default() };
        assert!(response.http_failure("ListMachines").is_none() && response.check("ListMachines").is_ok());
    }

    #[test]
    fn an_absurd_retry_after_is_bounded() {
        for (text, seconds) in [("7", 7), ("3601", 3600), ("99999999999999999999999", 3600), ("-3", 0), ("", 0), ("soon", 0), ("1.5", 0)] {
            assert_eq!(pause_of(text, SystemTime::now()), Duration::from_secs(seconds), "{}", text);
        }
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000); // Sun, 09 Sep 2001 01:46:40 GMT
        for (text, seconds) in [("Sun, 09 Sep 2001 01:46:47 GMT", 7), ("Sun, 09 Sep 2001 01:46:40 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 3600)] {
            assert_eq!(pause_of(text, now), Duration::from_secs(seconds), "{}", text);
        }
    }
}
