// Generated from sdk/include/ccm/abi by `make abi-lock` (tests/abi/lock/rust.py). The C headers say what everything means.

use std::os::raw::{c_char, c_void};

pub const CCM_ABI_MINOR: u32 = 1;

#[repr(C)]
pub struct ccm_object {
    _opaque: [u8; 0],
}
pub type ccm_bool = u32;
pub type ccm_callback_fn = Option<unsafe extern "C" fn(*mut c_void)>;
pub type ccm_drop_fn = Option<unsafe extern "C" fn(*mut c_void)>;
pub type ccm_map_fn = Option<unsafe extern "C" fn(*mut c_void, *const ccm_watch_event)>;
pub type ccm_visit_object_fn = Option<unsafe extern "C" fn(*mut c_void, *const ccm_object) -> ccm_bool>;
pub type ccm_visit_fn = Option<unsafe extern "C" fn(*mut c_void, ccm_str, ccm_value) -> ccm_bool>;
pub type ccm_plugin_entry_fn = Option<unsafe extern "C" fn() -> *const ccm_plugin>;
pub type ccm_completion_fn = Option<unsafe extern "C" fn(*mut c_void, u64, *const ccm_status, *const c_void)>;
pub const CCM_SIZE_LIMIT: i32 = 4096;
pub const CCM_EVENT_ADDED: i32 = 1;
pub const CCM_EVENT_UPDATED: i32 = 2;
pub const CCM_EVENT_DELETED: i32 = 3;
pub const CCM_EVENT_RESYNC: i32 = 4;
pub const CCM_EVENT_HINTED: i32 = 5;
pub const CCM_DIGEST_SHA256: i32 = 1;
pub const CCM_SIGN_RS256: i32 = 1;
pub const CCM_SIGN_PS256: i32 = 2;
pub const CCM_SIGN_ES256: i32 = 3;
pub const CCM_EVENT_IS_WARNING: i32 = 1;
pub const CCM_HINT_INSTANCE: i32 = 1;
pub const CCM_HINT_LOAD_BALANCER: i32 = 2;
pub const CCM_HTTP_READ_ONLY: i32 = 1;
pub const CCM_HTTP_IDEMPOTENT: i32 = 2;
pub const CCM_HTTP_INSECURE: i32 = 1;
pub const CCM_HTTP_NO_PROXY: i32 = 2;
pub const CCM_INSTANCE_UNKNOWN: i32 = 0;
pub const CCM_INSTANCE_RUNNING: i32 = 1;
pub const CCM_INSTANCE_SHUTDOWN: i32 = 2;
pub const CCM_INSTANCE_TERMINATED: i32 = 3;
pub const CCM_INSTANCE_ABSENT: i32 = 4;
pub const CCM_INSTANCE_STARTING: i32 = 5;
pub const CCM_CACHE_NOT_SYNCED: i32 = 0;
pub const CCM_CACHE_FOUND: i32 = 1;
pub const CCM_CACHE_ABSENT: i32 = 2;
pub const CCM_CACHE_NOT_WATCHED: i32 = 3;
pub const CCM_PATCH_JSON: i32 = 1;
pub const CCM_PATCH_MERGE: i32 = 2;
pub const CCM_PATCH_STRATEGIC: i32 = 3;
pub const CCM_PATCH_APPLY: i32 = 4;
pub const CCM_PATCH_ANSWER_METADATA: i32 = 1;
pub const CCM_PATCH_ANSWER_NONE: i32 = 2;
pub const CCM_LOAD_BALANCER_UNKNOWN: i32 = 0;
pub const CCM_LOAD_BALANCER_ABSENT: i32 = 1;
pub const CCM_LOAD_BALANCER_PENDING: i32 = 2;
pub const CCM_LOAD_BALANCER_ACTIVE: i32 = 3;
pub const CCM_LOAD_BALANCER_SHARED: i32 = 4;
pub const CCM_LOAD_BALANCER_FOREIGN: i32 = 5;
pub const CCM_SERVICE_LOCAL_TRAFFIC: i32 = 1;
pub const CCM_SERVICE_CLIENT_IP_AFFINITY: i32 = 2;
pub const CCM_SERVICE_NO_NODE_PORTS: i32 = 4;
pub const CCM_LOG_ERROR: i32 = -3;
pub const CCM_LOG_WARNING: i32 = -2;
pub const CCM_LOG_INFO: i32 = 0;
pub const CCM_LOG_DEBUG: i32 = 4;
pub const CCM_METRIC_COUNTER: i32 = 1;
pub const CCM_METRIC_GAUGE: i32 = 2;
pub const CCM_METRIC_HISTOGRAM: i32 = 3;
pub const CCM_VALUE_ABSENT: i32 = 0;
pub const CCM_VALUE_NULL: i32 = 1;
pub const CCM_VALUE_BOOLEAN: i32 = 2;
pub const CCM_VALUE_NUMBER: i32 = 3;
pub const CCM_VALUE_STRING: i32 = 4;
pub const CCM_VALUE_ARRAY: i32 = 5;
pub const CCM_VALUE_OBJECT: i32 = 6;
pub const CCM_OWNED_NO_CLUSTER: i32 = 1;
pub const CCM_OWNED_SHARED: i32 = 2;
pub const CCM_OWNED_CLUSTER_GIVEN: i32 = 1;
pub const CCM_OWNED_OBJECT_CONFIRMED: i32 = 2;
pub const CCM_ABI_MAJOR: i32 = 1;
pub const CCM_NOTE_TYPE_MANIFEST: i32 = 1;
pub const CCM_NONBLOCKING: i32 = 1;
pub const CCM_PRIORITY_CHANGED: i32 = 0;
pub const CCM_PRIORITY_PERIODIC: i32 = 1;
pub const CCM_ROUTE_OWNED: i32 = 1;
pub const CCM_ROUTE_BLACKHOLE: i32 = 2;
pub const CCM_ROUTES_USE_ADDRESSES: i32 = 1;
pub const CCM_CODE_OK: i32 = 0;
pub const CCM_CODE_CANCELLED: i32 = 1;
pub const CCM_CODE_UNKNOWN: i32 = 2;
pub const CCM_CODE_INVALID_ARGUMENT: i32 = 3;
pub const CCM_CODE_DEADLINE_EXCEEDED: i32 = 4;
pub const CCM_CODE_NOT_FOUND: i32 = 5;
pub const CCM_CODE_ALREADY_EXISTS: i32 = 6;
pub const CCM_CODE_PERMISSION_DENIED: i32 = 7;
pub const CCM_CODE_RESOURCE_EXHAUSTED: i32 = 8;
pub const CCM_CODE_FAILED_PRECONDITION: i32 = 9;
pub const CCM_CODE_ABORTED: i32 = 10;
pub const CCM_CODE_OUT_OF_RANGE: i32 = 11;
pub const CCM_CODE_UNIMPLEMENTED: i32 = 12;
pub const CCM_CODE_INTERNAL: i32 = 13;
pub const CCM_CODE_UNAVAILABLE: i32 = 14;
pub const CCM_CODE_DATA_LOSS: i32 = 15;
pub const CCM_CODE_UNAUTHENTICATED: i32 = 16;
pub const CCM_CODE_IMPLEMENTED_ELSEWHERE: i32 = 100;
pub const CCM_CLASS_NONE: i32 = 0;
pub const CCM_CLASS_INVALID_SPEC: i32 = 1;
pub const CCM_CLASS_AUTH: i32 = 2;
pub const CCM_CLASS_QUOTA: i32 = 3;
pub const CCM_CLASS_CONFLICT: i32 = 4;
pub const CCM_CLASS_THROTTLED: i32 = 5;
pub const CCM_CLASS_UNAVAILABLE: i32 = 6;
pub const CCM_CLASS_WAITING: i32 = 7;
pub const CCM_CLASS_NOT_FOUND: i32 = 8;
pub const CCM_CLASS_UNSUPPORTED: i32 = 9;
pub const CCM_HOST_CONFIG: &str = "ccm.host.config/1";
pub const CCM_CONTROLLER: &str = "ccm.controller/1";
pub const CCM_HOST_SETUP: &str = "ccm.host.setup/1";
pub const CCM_HOST_CRYPTO: &str = "ccm.host.crypto/1";
pub const CCM_HOST_CTX: &str = "ccm.host.ctx/1";
pub const CCM_HOST_EVENT: &str = "ccm.host.event/1";
pub const CCM_HOST_FILE: &str = "ccm.host.file/1";
pub const CCM_HOST_HINT: &str = "ccm.host.hint/1";
pub const CCM_HOST_HTTP: &str = "ccm.host.http/1";
pub const CCM_HOST_HTTP_CLIENT: &str = "ccm.host.http_client/1";
pub const CCM_CLOUD_INSTANCES: &str = "ccm.cloud.instances/1";
pub const CCM_HOST_KUBE: &str = "ccm.host.kube/1";
pub const CCM_HOST_LEADER: &str = "ccm.host.leader/1";
pub const CCM_CLOUD_LOADBALANCERS: &str = "ccm.cloud.loadbalancers/1";
pub const CCM_HOST_LOG: &str = "ccm.host.log/1";
pub const CCM_HOST_METRICS: &str = "ccm.host.metrics/1";
pub const CCM_HOST_OBJECT: &str = "ccm.host.object/1";
pub const CCM_CLOUD_OWNED: &str = "draft.ccm.cloud.owned/1";
pub const CCM_OWNED_LOAD_BALANCER: &str = "load-balancer";
pub const CCM_OWNED_FLOATING_IP: &str = "floating-ip";
pub const CCM_OWNED_ROUTE: &str = "route";
pub const CCM_OWNED_FIREWALL: &str = "firewall";
pub const CCM_OWNED_SECURITY_GROUP: &str = "security-group";
pub const CCM_PLUGIN_ENTRY: &str = "ccm_plugin_v1";
pub const CCM_NOTE_SECTION: &str = ".note.ccm";
pub const CCM_NOTE_OWNER: &str = "ccm";
pub const CCM_HOST_PROCESS: &str = "draft.ccm.host.process/1";
pub const CCM_PROVIDER: &str = "ccm.provider/1";
pub const CCM_HOST_QUEUE: &str = "ccm.host.queue/1";
pub const CCM_CLOUD_ROUTES: &str = "ccm.cloud.routes/1";
pub const CCM_REASON_WRONG_THREAD: &str = "WrongThread";
pub const CCM_REASON_CONTEXT_ENDED: &str = "ContextEnded";
pub const CCM_REASON_UNKNOWN_REQUEST: &str = "UnknownRequest";
pub const CCM_REASON_NOT_LEADING: &str = "NotLeading";
pub const CCM_REASON_NOT_OWNED: &str = "NotOwned";
pub const CCM_REASON_CALL_BUDGET_SPENT: &str = "CallBudgetSpent";
pub const CCM_REASON_DELETION_BRAKE_ENGAGED: &str = "DeletionBrakeEngaged";
pub const CCM_REASON_DRY_RUN: &str = "DryRun";
pub const CCM_REASON_OPERATION_NOT_COMPLETED: &str = "OperationNotCompleted";
pub const CCM_HOST_TIMER: &str = "ccm.host.timer/1";
pub const CCM_HOST_POST: &str = "ccm.host.post/1";
pub const CCM_HOST_WORKER: &str = "ccm.host.worker/1";

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_str {
    pub ptr: *const c_char,
    pub len: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_key_value {
    pub key: ccm_str,
    pub value: ccm_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_interface {
    pub self_: *mut c_void,
    pub table: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_callback {
    pub fn_: ccm_callback_fn,
    pub drop: ccm_drop_fn,
    pub owner: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_config {
    pub size: u32,
    pub reserved: u32,
    pub flag: Option<unsafe extern "C" fn(*mut c_void, ccm_str, *mut ccm_str) -> ccm_bool>,
    pub flag_given: Option<unsafe extern "C" fn(*mut c_void, ccm_str) -> ccm_bool>,
    pub cloud_config: Option<unsafe extern "C" fn(*mut c_void, *mut ccm_str) -> ccm_bool>,
    pub secret: Option<unsafe extern "C" fn(*mut c_void, ccm_str, *mut c_char, usize) -> i64>,
    pub on_change: Option<unsafe extern "C" fn(*mut c_void, ccm_callback) -> ccm_bool>,
    pub rejected: Option<unsafe extern "C" fn(*mut c_void, ccm_str, ccm_str)>,
    pub accepted: Option<unsafe extern "C" fn(*mut c_void, ccm_str)>,
}
sized!(ccm_host_config);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_watch_event {
    pub size: u32,
    pub kind: i32,
    pub old: *const ccm_object,
    pub now: *const ccm_object,
}
sized!(ccm_watch_event);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_watch {
    pub size: u32,
    pub flags: u32,
    pub resource: ccm_str,
    pub fields: *const ccm_str,
    pub field_count: usize,
    pub label_selector: ccm_str,
    pub field_selector: ccm_str,
    pub resync_period_ms: i64,
    pub map: ccm_map_fn,
    pub drop: ccm_drop_fn,
    pub owner: *mut c_void,
}
sized!(ccm_watch);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_queue_options {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub workers: u32,
    pub reserved: u32,
    pub backoff_first_ms: i64,
    pub backoff_limit_ms: i64,
    pub reconcile_timeout_ms: i64,
}
sized!(ccm_queue_options);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_setup {
    pub size: u32,
    pub reserved: u32,
    pub watch: Option<unsafe extern "C" fn(*mut c_void, *const ccm_watch)>,
    pub queue: Option<unsafe extern "C" fn(*mut c_void, *const ccm_queue_options)>,
    pub every: Option<unsafe extern "C" fn(*mut c_void, ccm_str, i64)>,
}
sized!(ccm_host_setup);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_setup_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_setup_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_reconcile_request {
    pub size: u32,
    pub flags: u32,
    pub key: ccm_str,
    pub priority: i32,
    pub attempt: u32,
}
sized!(ccm_reconcile_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_reconcile_result {
    pub size: u32,
    pub flags: u32,
    pub requeue_after_ms: i64,
}
sized!(ccm_reconcile_result);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_stop_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_stop_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_controller {
    pub size: u32,
    pub reserved: u32,
    pub setup: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_setup_request, ccm_completion)>,
    pub reconcile: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_reconcile_request, ccm_completion)>,
    pub stop: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_stop_request, ccm_completion)>,
}
sized!(ccm_controller);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_sign_request {
    pub size: u32,
    pub flags: u32,
    pub algorithm: i32,
    pub reserved: u32,
    pub key: ccm_str,
    pub message: ccm_str,
}
sized!(ccm_sign_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_crypto {
    pub size: u32,
    pub reserved: u32,
    pub hash: Option<unsafe extern "C" fn(*mut c_void, i32, ccm_str, *mut u8, usize) -> i64>,
    pub hmac: Option<unsafe extern "C" fn(*mut c_void, i32, ccm_str, ccm_str, *mut u8, usize) -> i64>,
    pub sign: Option<unsafe extern "C" fn(*mut c_void, *const ccm_sign_request, *mut u8, usize) -> i64>,
    pub random: Option<unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> i64>,
}
sized!(ccm_host_crypto);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_ctx {
    pub id: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_ctx {
    pub size: u32,
    pub reserved: u32,
    pub background: Option<unsafe extern "C" fn(*mut c_void) -> ccm_ctx>,
    pub with_timeout: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, i64) -> ccm_ctx>,
    pub cancel: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx)>,
    pub remaining_ms: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx) -> i64>,
    pub ended: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx) -> ccm_bool>,
    pub end_code: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx) -> i32>,
    pub on_end: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, ccm_callback) -> u64>,
    pub remove_on_end: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, u64)>,
}
sized!(ccm_host_ctx);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_object_reference {
    pub size: u32,
    pub flags: u32,
    pub api_version: ccm_str,
    pub kind: ccm_str,
    pub namespace_: ccm_str,
    pub name: ccm_str,
    pub uid: ccm_str,
}
sized!(ccm_object_reference);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_event {
    pub size: u32,
    pub flags: u32,
    pub object: *const ccm_object,
    pub reference: *const ccm_object_reference,
    pub reason: ccm_str,
    pub message: ccm_str,
    pub source: ccm_str,
}
sized!(ccm_event);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_event {
    pub size: u32,
    pub reserved: u32,
    pub record: Option<unsafe extern "C" fn(*mut c_void, *const ccm_event)>,
}
sized!(ccm_host_event);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_read_file_request {
    pub size: u32,
    pub flags: u32,
    pub path: ccm_str,
    pub size_limit: i64,
}
sized!(ccm_read_file_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_file {
    pub size: u32,
    pub flags: u32,
    pub bytes: ccm_str,
}
sized!(ccm_file);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_file {
    pub size: u32,
    pub reserved: u32,
    pub read: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_read_file_request, ccm_completion)>,
    pub watch: Option<unsafe extern "C" fn(*mut c_void, ccm_str, ccm_callback) -> u64>,
    pub unwatch: Option<unsafe extern "C" fn(*mut c_void, u64)>,
}
sized!(ccm_host_file);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_hint {
    pub size: u32,
    pub kind: i32,
    pub name: ccm_str,
    pub namespace_: ccm_str,
    pub uid: ccm_str,
    pub provider_id: ccm_str,
    pub id: ccm_str,
}
sized!(ccm_hint);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_hint {
    pub size: u32,
    pub reserved: u32,
    pub changed: Option<unsafe extern "C" fn(*mut c_void, *const ccm_hint)>,
}
sized!(ccm_host_hint);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_http_request {
    pub size: u32,
    pub flags: u32,
    pub method: ccm_str,
    pub url: ccm_str,
    pub headers: *const ccm_key_value,
    pub header_count: usize,
    pub body: ccm_str,
    pub operation: ccm_str,
    pub credential: ccm_str,
    pub timeout_ms: u32,
    pub max_tries: u32,
    pub secrets: *const ccm_str,
    pub secret_count: usize,
    pub replaces: ccm_str,
}
sized!(ccm_http_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_http_response {
    pub size: u32,
    pub status_code: u32,
    pub headers: *const ccm_key_value,
    pub header_count: usize,
    pub body: ccm_str,
}
sized!(ccm_http_response);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_http {
    pub size: u32,
    pub reserved: u32,
    pub send: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_http_request, ccm_completion)>,
    pub send_wait: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_http_request, ccm_completion)>,
}
sized!(ccm_host_http);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_http_client_options {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub ca_pem: ccm_str,
    pub ca_file: ccm_str,
    pub certificate_pem: ccm_str,
    pub certificate_file: ccm_str,
    pub key_pem: ccm_str,
    pub key_file: ccm_str,
    pub server_name: ccm_str,
    pub fingerprint: ccm_str,
    pub proxy: ccm_str,
    pub max_connections: u32,
    pub reserved: u32,
    pub body_limit: i64,
    pub secrets: *const ccm_str,
    pub secret_count: usize,
}
sized!(ccm_http_client_options);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_http_client {
    pub size: u32,
    pub flags: u32,
    pub http: ccm_interface,
    pub number: u64,
}
sized!(ccm_http_client);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_http_client {
    pub size: u32,
    pub reserved: u32,
    pub open: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_http_client_options, ccm_completion)>,
    pub close: Option<unsafe extern "C" fn(*mut c_void, u64)>,
}
sized!(ccm_host_http_client);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_node_address {
    pub type_: ccm_str,
    pub address: ccm_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_instance {
    pub size: u32,
    pub state: i32,
    pub provider_id: ccm_str,
    pub name: ccm_str,
    pub instance_type: ccm_str,
    pub zone: ccm_str,
    pub region: ccm_str,
    pub addresses: *const ccm_node_address,
    pub address_count: usize,
    pub labels: *const ccm_key_value,
    pub label_count: usize,
    pub why: *const ccm_status,
    pub other_ids: *const ccm_str,
    pub other_id_count: usize,
}
sized!(ccm_instance);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_instance_list {
    pub size: u32,
    pub flags: u32,
    pub instances: *const *const ccm_instance,
    pub count: usize,
    pub unknown_prefixes: *const ccm_str,
    pub unknown_prefix_count: usize,
}
sized!(ccm_instance_list);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_node_identity {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub provider_id: ccm_str,
    pub node: *const ccm_object,
    pub max_age_ms: i64,
}
sized!(ccm_node_identity);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_list_instances_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_list_instances_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_describe_instances_request {
    pub size: u32,
    pub flags: u32,
    pub nodes: *const *const ccm_node_identity,
    pub node_count: usize,
}
sized!(ccm_describe_instances_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_get_instance_request {
    pub size: u32,
    pub flags: u32,
    pub node: *const ccm_node_identity,
}
sized!(ccm_get_instance_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_instance_limits {
    pub size: u32,
    pub flags: u32,
    pub timeout_ms: i64,
    pub list_timeout_ms: i64,
    pub batch: i64,
    pub parallel: i64,
}
sized!(ccm_instance_limits);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_cloud_instances {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_list_instances_request, ccm_completion)>,
    pub describe: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_describe_instances_request, ccm_completion)>,
    pub get: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_get_instance_request, ccm_completion)>,
    pub limits: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_limits_request, ccm_completion)>,
}
sized!(ccm_cloud_instances);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_reference {
    pub size: u32,
    pub flags: u32,
    pub resource: ccm_str,
    pub namespace_: ccm_str,
    pub name: ccm_str,
    pub subresource: ccm_str,
}
sized!(ccm_kube_reference);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_cached_request {
    pub size: u32,
    pub flags: u32,
    pub resource: ccm_str,
    pub namespace_: ccm_str,
}
sized!(ccm_kube_cached_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_get_request {
    pub size: u32,
    pub flags: u32,
    pub reference: *const ccm_kube_reference,
}
sized!(ccm_kube_get_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_list_request {
    pub size: u32,
    pub flags: u32,
    pub resource: ccm_str,
    pub namespace_: ccm_str,
    pub label_selector: ccm_str,
    pub field_selector: ccm_str,
}
sized!(ccm_kube_list_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_list {
    pub size: u32,
    pub flags: u32,
    pub objects: *const *const ccm_object,
    pub count: usize,
    pub resource_version: ccm_str,
}
sized!(ccm_kube_list);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_patch_request {
    pub size: u32,
    pub flags: u32,
    pub reference: *const ccm_kube_reference,
    pub body: ccm_str,
    pub type_: i32,
    pub reserved: u32,
}
sized!(ccm_kube_patch_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_create_request {
    pub size: u32,
    pub flags: u32,
    pub reference: *const ccm_kube_reference,
    pub body: ccm_str,
}
sized!(ccm_kube_create_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_kube_delete_request {
    pub size: u32,
    pub flags: u32,
    pub reference: *const ccm_kube_reference,
    pub uid: ccm_str,
    pub resource_version: ccm_str,
}
sized!(ccm_kube_delete_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_kube {
    pub size: u32,
    pub reserved: u32,
    pub cached: Option<unsafe extern "C" fn(*mut c_void, *const ccm_kube_reference, *mut *const ccm_object) -> i32>,
    pub cached_each: Option<unsafe extern "C" fn(*mut c_void, *const ccm_kube_cached_request, ccm_visit_object_fn, *mut c_void) -> i32>,
    pub get: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_kube_get_request, ccm_completion)>,
    pub list: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_kube_list_request, ccm_completion)>,
    pub patch: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_kube_patch_request, ccm_completion)>,
    pub create: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_kube_create_request, ccm_completion)>,
    pub remove: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_kube_delete_request, ccm_completion)>,
}
sized!(ccm_host_kube);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_leader {
    pub size: u32,
    pub reserved: u32,
    pub leading: Option<unsafe extern "C" fn(*mut c_void) -> ccm_bool>,
    pub transitions: Option<unsafe extern "C" fn(*mut c_void) -> u64>,
    pub on_change: Option<unsafe extern "C" fn(*mut c_void, ccm_callback) -> ccm_bool>,
}
sized!(ccm_host_leader);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_service_port {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub protocol: ccm_str,
    pub app_protocol: ccm_str,
    pub port: i32,
    pub node_port: i32,
}
sized!(ccm_service_port);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_service {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub namespace_name: ccm_str,
    pub uid: ccm_str,
    pub cluster_name: ccm_str,
    pub id: ccm_str,
    pub adopt_id: ccm_str,
    pub default_name: ccm_str,
    pub class_name: ccm_str,
    pub requested_ip: ccm_str,
    pub ports: *const *const ccm_service_port,
    pub port_count: usize,
    pub source_ranges: *const ccm_str,
    pub source_range_count: usize,
    pub ip_families: *const ccm_str,
    pub ip_family_count: usize,
    pub parameters: *const ccm_key_value,
    pub parameter_count: usize,
    pub health_check_node_port: i32,
    pub affinity_timeout_seconds: i32,
    pub object: *const ccm_object,
}
sized!(ccm_service);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_backend {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
    pub provider_id: ccm_str,
    pub addresses: *const ccm_node_address,
    pub address_count: usize,
    pub node: *const ccm_object,
}
sized!(ccm_backend);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_load_balancer_request {
    pub size: u32,
    pub flags: u32,
    pub service: *const ccm_service,
    pub backends: *const *const ccm_backend,
    pub backend_count: usize,
}
sized!(ccm_load_balancer_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_ingress_port {
    pub size: u32,
    pub port: i32,
    pub protocol: ccm_str,
    pub error: ccm_str,
}
sized!(ccm_ingress_port);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_ingress {
    pub size: u32,
    pub flags: u32,
    pub ip: ccm_str,
    pub hostname: ccm_str,
    pub ip_mode: ccm_str,
    pub ports: *const *const ccm_ingress_port,
    pub port_count: usize,
}
sized!(ccm_ingress);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_load_balancer {
    pub size: u32,
    pub state: i32,
    pub retry_after_ms: i64,
    pub id: ccm_str,
    pub name: ccm_str,
    pub difference: ccm_str,
    pub ingress: *const *const ccm_ingress,
    pub ingress_count: usize,
    pub annotations: *const ccm_key_value,
    pub annotation_count: usize,
    pub node_labels: *const ccm_str,
    pub node_label_count: usize,
    pub no_members: ccm_str,
}
sized!(ccm_load_balancer);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_load_balancer_name {
    pub size: u32,
    pub flags: u32,
    pub name: ccm_str,
}
sized!(ccm_load_balancer_name);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_load_balancer_lane {
    pub size: u32,
    pub flags: u32,
    pub lane: ccm_str,
}
sized!(ccm_load_balancer_lane);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_load_balancer_limits {
    pub size: u32,
    pub flags: u32,
    pub load_balancers: i64,
    pub backends: i64,
    pub id_annotation: ccm_str,
    pub timeout_ms: i64,
    pub parallel: i64,
}
sized!(ccm_load_balancer_limits);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_cloud_loadbalancers {
    pub size: u32,
    pub reserved: u32,
    pub observe: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub ensure: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub update_backends: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub remove: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub name: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub lane: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_load_balancer_request, ccm_completion)>,
    pub limits: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_limits_request, ccm_completion)>,
}
sized!(ccm_cloud_loadbalancers);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_log_record {
    pub size: u32,
    pub level: i32,
    pub message: ccm_str,
    pub pairs: *const ccm_key_value,
    pub pair_count: usize,
    pub file: ccm_str,
    pub line: u32,
    pub reserved: u32,
}
sized!(ccm_log_record);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_log {
    pub size: u32,
    pub reserved: u32,
    pub enabled: Option<unsafe extern "C" fn(*mut c_void, i32) -> ccm_bool>,
    pub write: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_log_record)>,
}
sized!(ccm_host_log);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_metric {
    pub size: u32,
    pub flags: u32,
    pub kind: i32,
    pub reserved: u32,
    pub name: ccm_str,
    pub help: ccm_str,
    pub label_names: *const ccm_str,
    pub label_count: usize,
    pub buckets: *const f64,
    pub bucket_count: usize,
}
sized!(ccm_metric);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_metrics {
    pub size: u32,
    pub reserved: u32,
    pub define: Option<unsafe extern "C" fn(*mut c_void, *const ccm_metric) -> u64>,
    pub record: Option<unsafe extern "C" fn(*mut c_void, u64, *const ccm_str, usize, f64)>,
}
sized!(ccm_host_metrics);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_value {
    pub object: *const ccm_object,
    pub position: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_object {
    pub size: u32,
    pub reserved: u32,
    pub retain: Option<unsafe extern "C" fn(*mut c_void, *const ccm_object)>,
    pub release: Option<unsafe extern "C" fn(*mut c_void, *const ccm_object)>,
    pub find: Option<unsafe extern "C" fn(*mut c_void, *const ccm_object, ccm_str) -> ccm_value>,
    pub find_in: Option<unsafe extern "C" fn(*mut c_void, ccm_value, ccm_str) -> ccm_value>,
    pub kind: Option<unsafe extern "C" fn(*mut c_void, ccm_value) -> i32>,
    pub text: Option<unsafe extern "C" fn(*mut c_void, ccm_value, *mut ccm_str) -> ccm_bool>,
    pub each: Option<unsafe extern "C" fn(*mut c_void, ccm_value, ccm_visit_fn, *mut c_void)>,
    pub json: Option<unsafe extern "C" fn(*mut c_void, *const ccm_object) -> ccm_str>,
    pub equal: Option<unsafe extern "C" fn(*mut c_void, ccm_value, ccm_value) -> ccm_bool>,
    pub parse: Option<unsafe extern "C" fn(*mut c_void, ccm_str) -> *const ccm_object>,
}
sized!(ccm_host_object);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_owned_object {
    pub size: u32,
    pub flags: u32,
    pub kind: ccm_str,
    pub id: ccm_str,
    pub name: ccm_str,
    pub cluster: ccm_str,
    pub address: ccm_str,
    pub services: *const ccm_key_value,
    pub service_count: usize,
    pub node: ccm_str,
    pub destination_cidr: ccm_str,
}
sized!(ccm_owned_object);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_owned_list {
    pub size: u32,
    pub flags: u32,
    pub objects: *const *const ccm_owned_object,
    pub count: usize,
}
sized!(ccm_owned_list);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_list_owned_request {
    pub size: u32,
    pub flags: u32,
    pub clusters: *const ccm_str,
    pub cluster_count: usize,
}
sized!(ccm_list_owned_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_remove_owned_request {
    pub size: u32,
    pub flags: u32,
    pub clusters: *const ccm_str,
    pub cluster_count: usize,
    pub object: *const ccm_owned_object,
}
sized!(ccm_remove_owned_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_cloud_owned {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_list_owned_request, ccm_completion)>,
    pub remove: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_remove_owned_request, ccm_completion)>,
}
sized!(ccm_cloud_owned);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host {
    pub size: u32,
    pub abi_minor: u32,
    pub flags: u32,
    pub reserved: u32,
    pub self_: *mut c_void,
    pub get_interface: Option<unsafe extern "C" fn(*mut c_void, *const c_char, *mut ccm_interface) -> ccm_bool>,
}
sized!(ccm_host);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_component {
    pub size: u32,
    pub reserved: u32,
    pub self_: *mut c_void,
    pub get_interface: Option<unsafe extern "C" fn(*mut c_void, *const c_char, *mut ccm_interface) -> ccm_bool>,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}
sized!(ccm_component);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_open_request {
    pub size: u32,
    pub flags: u32,
    pub host: *const ccm_host,
}
sized!(ccm_open_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_opened {
    pub size: u32,
    pub flags: u32,
    pub self_: *mut c_void,
}
sized!(ccm_opened);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_create_request {
    pub size: u32,
    pub flags: u32,
    pub host: *const ccm_host,
    pub component: ccm_str,
}
sized!(ccm_create_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_plugin {
    pub size: u32,
    pub abi_minor: u32,
    pub manifest: ccm_str,
    pub open: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_open_request, ccm_completion)>,
    pub create: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_create_request, ccm_completion)>,
    pub close: Option<unsafe extern "C" fn(*mut c_void)>,
}
sized!(ccm_plugin);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_run_request {
    pub size: u32,
    pub flags: u32,
    pub file: ccm_str,
    pub setting: ccm_str,
    pub command: ccm_str,
}
sized!(ccm_run_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_program_output {
    pub size: u32,
    pub flags: u32,
    pub bytes: ccm_str,
}
sized!(ccm_program_output);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_process {
    pub size: u32,
    pub reserved: u32,
    pub run: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_run_request, ccm_completion)>,
}
sized!(ccm_host_process);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_initialize_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_initialize_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_shutdown_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_shutdown_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_limits_request {
    pub size: u32,
    pub flags: u32,
}
sized!(ccm_limits_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_provider {
    pub size: u32,
    pub reserved: u32,
    pub initialize: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_initialize_request, ccm_completion)>,
    pub has_cluster_id: Option<unsafe extern "C" fn(*mut c_void) -> ccm_bool>,
    pub shutdown: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_shutdown_request, ccm_completion)>,
}
sized!(ccm_provider);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_queue_item {
    pub size: u32,
    pub priority: i32,
    pub key: ccm_str,
    pub delay_ms: i64,
}
sized!(ccm_queue_item);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_queue {
    pub size: u32,
    pub reserved: u32,
    pub add: Option<unsafe extern "C" fn(*mut c_void, *const ccm_queue_item)>,
}
sized!(ccm_host_queue);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_route {
    pub size: u32,
    pub flags: u32,
    pub id: ccm_str,
    pub name_hint: ccm_str,
    pub destination_cidr: ccm_str,
    pub target_node: ccm_str,
    pub target_provider_id: ccm_str,
    pub target_addresses: *const ccm_node_address,
    pub target_address_count: usize,
    pub node: *const ccm_object,
}
sized!(ccm_route);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_route_list {
    pub size: u32,
    pub flags: u32,
    pub routes: *const *const ccm_route,
    pub count: usize,
}
sized!(ccm_route_list);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_route_results {
    pub size: u32,
    pub flags: u32,
    pub statuses: *const *const ccm_status,
    pub count: usize,
}
sized!(ccm_route_results);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_list_routes_request {
    pub size: u32,
    pub flags: u32,
    pub cluster_name: ccm_str,
}
sized!(ccm_list_routes_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_apply_routes_request {
    pub size: u32,
    pub flags: u32,
    pub cluster_name: ccm_str,
    pub remove: *const *const ccm_route,
    pub remove_count: usize,
    pub add: *const *const ccm_route,
    pub add_count: usize,
}
sized!(ccm_apply_routes_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_route_limits {
    pub size: u32,
    pub flags: u32,
    pub routes: i64,
    pub batch: i64,
    pub timeout_ms: i64,
}
sized!(ccm_route_limits);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_cloud_routes {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_list_routes_request, ccm_completion)>,
    pub apply: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_apply_routes_request, ccm_completion)>,
    pub limits: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_limits_request, ccm_completion)>,
}
sized!(ccm_cloud_routes);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_status {
    pub size: u32,
    pub code: i32,
    pub error_class: i32,
    pub flags: u32,
    pub retry_after_ms: i64,
    pub reason: ccm_str,
    pub message: ccm_str,
}
sized!(ccm_status);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_completion {
    pub fn_: ccm_completion_fn,
    pub owner: *mut c_void,
    pub operation: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_timer {
    pub size: u32,
    pub reserved: u32,
    pub now_ms: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    pub wall_clock_ms: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    pub after: Option<unsafe extern "C" fn(*mut c_void, i64, ccm_callback) -> u64>,
    pub cancel: Option<unsafe extern "C" fn(*mut c_void, u64)>,
}
sized!(ccm_host_timer);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_post {
    pub size: u32,
    pub reserved: u32,
    pub post: Option<unsafe extern "C" fn(*mut c_void, ccm_callback)>,
}
sized!(ccm_host_post);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_work_request {
    pub size: u32,
    pub flags: u32,
    pub work: ccm_callback,
}
sized!(ccm_work_request);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ccm_host_worker {
    pub size: u32,
    pub reserved: u32,
    pub run: Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_work_request, ccm_completion)>,
}
sized!(ccm_host_worker);
