//! A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config names.
//! The manifest says "nonblocking": true, so the host calls on its loop; each operation is handed to a thread of the
//! provider's own, which completes it from there.
mod ccm;
mod rack;

use ccm::*;
use rack::Failure;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Sender};
use std::thread::JoinHandle;

const MANIFEST: &[u8] = include_bytes!("../plugin.json");
const PADDED: usize = (MANIFEST.len() + 1 + 3) / 4 * 4;

/// The ELF note that the host and `ccmctl plugin inspect` read without running code.
#[repr(C, align(4))]
pub struct Note {
    name_size: u32,
    text_size: u32,
    kind: u32,
    name: [u8; 4],
    text: [u8; PADDED],
}

const fn padded() -> [u8; PADDED] {
    let mut text = [0; PADDED];
    let mut place = 0;
    while place < MANIFEST.len() {
        text[place] = MANIFEST[place];
        place += 1;
    }
    text
}

#[used]
#[link_section = ".note.ccm"]
static NOTE: Note =
    Note { name_size: 4, text_size: MANIFEST.len() as u32 + 1, kind: 1, name: *b"ccm\0", text: padded() };

/// Tables hold raw pointers, but never change.
struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

/// The only symbol that the plugin exports.
#[no_mangle]
pub extern "C" fn ccm_plugin_v1() -> *const CcmPlugin {
    static PLUGIN: Constant<CcmPlugin> = Constant(CcmPlugin {
        size: std::mem::size_of::<CcmPlugin>() as u32,
        abi_minor: CCM_ABI_MINOR,
        manifest: CcmStr { ptr: NOTE.text.as_ptr() as *const c_char, len: MANIFEST.len() },
        open: None,
        create: Some(create),
        close: None,
    });
    &PLUGIN.0
}

/// One operation on its way to the provider's thread.
struct Job {
    text: Option<String>,
    wants_list: bool,
    done: CcmCompletion,
}
/// A completion may be called from any thread.
unsafe impl Send for Job {}

struct Provider {
    config: CcmInterface,
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Provider {
    fn new(host: &CcmHost) -> Result<Provider, Failure> {
        let mut config = CcmInterface { this: std::ptr::null_mut(), table: std::ptr::null() };
        let id = format!("{}\0", CCM_HOST_CONFIG);
        let found = host
            .get_interface
            .map_or(false, |get| unsafe { get(host.this, id.as_ptr() as *const c_char, &mut config) } != 0);
        if !found {
            return Err(Failure::internal("the host has no configuration service"));
        }
        let (jobs, queue) = channel::<Job>();
        let thread = std::thread::spawn(move || {
            for job in queue {
                let done = job.done;
                answer(done, || run(job));
            }
        });
        Ok(Provider { config, jobs: Some(jobs), thread: Some(thread) })
    }

    /// Memory lent by the host is copied before the call returns.
    fn cloud_config(&self) -> Option<String> {
        let table = unsafe { &*(self.config.table as *const CcmHostConfig) };
        let mut text = CcmStr { ptr: std::ptr::null(), len: 0 };
        let found = unsafe { table.cloud_config?(self.config.this, &mut text) };
        if found == 0 || text.ptr.is_null() {
            return None;
        }
        let bytes = unsafe { std::slice::from_raw_parts(text.ptr as *const u8, text.len) };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn start(&self, wants_list: bool, done: CcmCompletion) -> Result<(), Failure> {
        let job = Job { text: self.cloud_config(), wants_list, done };
        let jobs = self.jobs.as_ref().ok_or_else(|| Failure::internal("the provider has ended"))?;
        jobs.send(job).map_err(|_| Failure::internal("the provider's thread has ended"))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.jobs = None; // the thread's loop ends
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Runs on the provider's thread and completes the operation.
fn run(job: Job) -> Result<(), Failure> {
    let text = job.text.ok_or_else(Failure::no_file)?;
    let machines = rack::parse(&text)?;
    if job.wants_list {
        rack::with_list(&machines, |list| complete(job.done, None, list));
    } else {
        complete(job.done, None, std::ptr::null::<c_void>());
    }
    Ok(())
}

/// Completes an operation with a result, or with a failure.
fn complete<T>(done: CcmCompletion, failure: Option<&Failure>, result: *const T) {
    let message = failure.map_or("", |failure| &failure.message);
    let status = CcmStatus {
        size: std::mem::size_of::<CcmStatus>() as u32,
        code: failure.map_or(CCM_CODE_OK, |failure| failure.code),
        error_class: failure.map_or(CCM_CLASS_NONE, |failure| failure.error_class),
        flags: 0,
        retry_after_ms: 0,
        reason: CcmStr::from(failure.map_or("", |failure| failure.reason)),
        message: CcmStr::from(message),
    };
    if let Some(call) = done.r#fn {
        unsafe { call(done.owner, done.operation, &status, result as *const c_void) };
    }
}

/// Runs `body`; if it fails, or panics, the operation ends with that. No panic may cross into the host.
fn answer(done: CcmCompletion, body: impl FnOnce() -> Result<(), Failure>) {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(Failure::internal("the provider panicked")));
    if let Err(failure) = outcome {
        complete(done, Some(&failure), std::ptr::null::<c_void>());
    }
}

/// A request with a part that is not known here is refused: bytes beyond the ones that are known, or a flag. Every
/// request begins with its size and its flags.
unsafe fn check<T>(request: *const T) -> Result<(), Failure> {
    let begin = request as *const u32;
    let known = std::mem::size_of::<T>();
    let size = *begin as usize;
    let beyond = (known..size).any(|place| *(request as *const u8).add(place) != 0);
    if size > 4096 || beyond || *begin.add(1) != 0 {
        return Err(Failure::unknown_request());
    }
    Ok(())
}

unsafe extern "C" fn create(_this: *mut c_void, _ctx: CcmCtx, request: *const CcmCreateRequest, done: CcmCompletion) {
    answer(done, || {
        check(request)?;
        let provider = Box::new(Provider::new(&*(*request).host)?);
        let component = CcmComponent {
            size: std::mem::size_of::<CcmComponent>() as u32,
            reserved: 0,
            this: Box::into_raw(provider) as *mut c_void,
            get_interface: Some(get_interface),
            destroy: Some(destroy),
        };
        complete(done, None, &component);
        Ok(())
    });
}

unsafe extern "C" fn destroy(this: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(this as *mut Provider))));
}

unsafe extern "C" fn initialize(
    this: *mut c_void,
    _ctx: CcmCtx,
    request: *const CcmInitializeRequest,
    done: CcmCompletion,
) {
    answer(done, || {
        check(request)?;
        (*(this as *const Provider)).start(false, done)
    });
}

unsafe extern "C" fn list(this: *mut c_void, _ctx: CcmCtx, request: *const CcmListInstancesRequest, done: CcmCompletion) {
    answer(done, || {
        check(request)?;
        (*(this as *const Provider)).start(true, done)
    });
}

unsafe extern "C" fn get_interface(this: *mut c_void, id: *const c_char, out: *mut CcmInterface) -> u32 {
    static PROVIDER: CcmProvider = CcmProvider {
        size: std::mem::size_of::<CcmProvider>() as u32,
        reserved: 0,
        initialize: Some(initialize),
        has_cluster_id: None,
        shutdown: None,
    };
    static INSTANCES: CcmCloudInstances = CcmCloudInstances {
        size: std::mem::size_of::<CcmCloudInstances>() as u32,
        reserved: 0,
        list: Some(list),
        describe: None,
        get: None,
        limits: None,
    };
    let table = match CStr::from_ptr(id).to_str() {
        Ok(CCM_PROVIDER) => &PROVIDER as *const CcmProvider as *const c_void,
        Ok(CCM_CLOUD_INSTANCES) => &INSTANCES as *const CcmCloudInstances as *const c_void,
        _ => return 0,
    };
    *out = CcmInterface { this, table };
    1
}
